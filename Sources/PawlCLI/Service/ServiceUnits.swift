package import PawlCore
package import PawlWire

/// The units with which systemd runs the daemon for a user: their text (systemd.unit(5)).
package struct ServiceUnits: Sendable, Hashable {
    package let socket: String
    package let service: String

    package static let socketName = "pawld.socket"
    package static let serviceName = "pawld.service"
    /// What the files begin with; one that does not is somebody else's.
    package static let mark = "# Written by pawl daemon install; pawl daemon uninstall removes it."

    /// Units for the program at a path, with what it is to be called with.
    ///
    /// `environment` is what the daemon must have to find the same places as who installs it: a
    /// service has not the shell's. Throws `.usage` for a path that no unit can hold.
    package init(
        program: String,
        arguments: [String] = [],
        places: DaemonPlaces,
        environment: [(name: String, value: String)] = []
    ) throws(DownloadError) {
        for text in [program, places.socket] + environment.map(\.value) {
            try Self.check(text)
        }
        let start = """
            \(Self.mark)
            # The next install undoes what is changed here; this does not: systemctl --user edit

            """
        socket =
            start + """
                [Unit]
                Description=Where Pawl's daemon answers

                [Socket]
                ListenStream=\(Self.escaped(places.socket))
                SocketMode=0600
                DirectoryMode=0700
                RemoveOnStop=yes

                [Install]
                WantedBy=sockets.target

                """
        let words = [program] + arguments
        let command = words.map { Self.quoted($0, isCommand: true) }.joined(separator: " ")
        let variables = environment.map { name, value in
            "Environment=\(Self.quoted("\(name)=\(value)", isCommand: false))\n"
        }
        service =
            start + """
                [Unit]
                Description=Pawl's daemon: downloads that go on when nobody waits
                Requires=\(Self.socketName)
                After=\(Self.socketName)

                [Service]
                Type=notify
                ExecStart=\(command)
                \(variables.joined())\
                # A large queue after a power cut is looked through first.
                TimeoutStartSec=infinity
                # It winds up within five seconds.
                TimeoutStopSec=15
                KillMode=mixed
                Restart=on-failure
                RestartSec=5
                # Another daemon, folders of somebody else, a wrong option: once more would not help.
                RestartPreventExitStatus=\(Self.finalStatuses)
                # What a downloader and what sessions have run by it never need. Folders stay open: files go
                # where you say.
                \(Self.hardening)

                [Install]
                WantedBy=default.target

                """
    }

    /// Nothing that needs a namespace, which a user's systemd may not be able to make.
    private static let hardening = [
        "NoNewPrivileges=yes", "LockPersonality=yes", "RestrictRealtime=yes",
        "RestrictSUIDSGID=yes", "SystemCallArchitectures=native",
        "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK",
        "SystemCallFilter=~@clock @cpu-emulation @debug @module @mount @obsolete @raw-io @reboot @swap",
        "SystemCallErrorNumber=EPERM",
    ].joined(separator: "\n")

    private static let finalStatuses = [
        ErrorCode.alreadyRunning, .directoryNotUsable, .usage,
    ].map { "\($0.exitStatus)" }.joined(separator: " ")

    private static func check(_ text: String) throws(DownloadError) {
        guard !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            throw DownloadError(
                .usage,
                "a unit of systemd cannot hold the path '\(text.sanitized)'",
                advice: "give it one without line breaks and the like"
            )
        }
    }

    /// `%` begins a specifier.
    private static func escaped(_ text: String) -> String { text.replacing("%", with: "%%") }

    /// In a command `$` begins a variable, too.
    private static func quoted(_ text: String, isCommand: Bool) -> String {
        var text = escaped(text)
        for special in ["\\", "\""] { text = text.replacing(special, with: "\\\(special)") }
        if isCommand { text = text.replacing("$", with: "$$") }
        return "\"\(text)\""
    }
}
