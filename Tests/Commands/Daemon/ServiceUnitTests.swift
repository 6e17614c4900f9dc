import PawlCLI
import PawlCore
import PawlWire
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ServiceUnitTests {
    private func paths(_ runtime: String = "/run/user/7") throws -> DaemonPaths {
        try DaemonPaths(
            PlaceSurroundings(
                variables: ["HOME": "/home/nobody", "XDG_RUNTIME_DIR": runtime],
                homeOfUser: nil,
                user: 7
            )
        )
    }

    private func lines(_ text: String) -> [String] {
        text.split(separator: "\n").map(String.init)
    }

    @Test func `systemd listens at the daemon's socket for the user only`() throws {
        let units = try ServiceUnits(program: "/usr/bin/pawld", paths: paths())
        let socket = lines(units.socket)
        #expect(socket.contains("ListenStream=/run/user/7/pawl/daemon.sock"))
        #expect(socket.contains("SocketMode=0600"))
        #expect(socket.contains("DirectoryMode=0700"))
        let service = lines(units.service)
        #expect(service.contains("ExecStart=\"/usr/bin/pawld\""))
        #expect(service.contains("Restart=on-failure"))
        #expect(service.contains("RestartPreventExitStatus=11 18 28"))
        #expect(socket[0] == ServiceUnits.mark && service[0] == ServiceUnits.mark)
    }

    @Test func `the service is restricted to what it needs`() throws {
        let service = lines(try ServiceUnits(program: "/pawld", paths: paths()).service)
        for line in [
            "NoNewPrivileges=yes", "LockPersonality=yes", "RestrictRealtime=yes",
            "RestrictSUIDSGID=yes", "SystemCallArchitectures=native",
            "SystemCallErrorNumber=EPERM",
        ] {
            #expect(service.contains(line), "\(line)")
        }
        // AF_NETLINK is for the kernel's routes, the others for the network and the socket.
        let families = service.first { $0.hasPrefix("RestrictAddressFamilies=") }
        #expect(families == "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK")
        let calls = try #require(service.first { $0.hasPrefix("SystemCallFilter=~") })
        for group in ["@debug", "@module", "@mount", "@raw-io", "@reboot"] {
            #expect(calls.contains(group))
        }
        // Each directive belongs to the section of the service.
        let section = try #require(service.firstIndex(of: "[Service]"))
        let next = try #require(service.firstIndex(of: "[Install]"))
        let own = try #require(service.firstIndex(of: "NoNewPrivileges=yes"))
        #expect(section < own && own < next)
    }

    @Test func `special characters of systemd are escaped`() throws {
        let units = try ServiceUnits(
            program: "/opt/100% \"mine\"/$HOME\\pawld",
            arguments: ["--jobs", "3"],
            paths: paths("/run/50%"),
            environment: [("XDG_STATE_HOME", "/st ate/%h\"")]
        )
        let service = lines(units.service)
        #expect(
            service.contains(
                #"ExecStart="/opt/100%% \"mine\"/$$HOME\\pawld" "--jobs" "3""#
            )
        )
        #expect(service.contains(#"Environment="XDG_STATE_HOME=/st ate/%%h\"""#))
        #expect(lines(units.socket).contains("ListenStream=/run/50%%/pawl/daemon.sock"))
    }

    @Test(arguments: ["/a\nExecStartPre=/bin/rm", "/a\tb", "/a\u{7F}"])
    func `a path that a unit cannot contain is refused`(path: String) throws {
        let paths = try paths()
        #expect(throws: DownloadError.self) {
            try ServiceUnits(program: path, paths: paths)
        }
        #expect(throws: DownloadError.self) {
            try ServiceUnits(
                program: "/pawld",
                paths: paths,
                environment: [("XDG_STATE_HOME", path)]
            )
        }
    }
}
