package import PawlCore
package import PawlWire

/// The text of the units with which systemd runs the daemon for a user (systemd.unit(5)).
package struct ServiceUnits: Sendable, Hashable {
    package let socket: String
    package let service: String

    package static let socketName = "pawld.socket"
    package static let serviceName = "pawld.service"
    /// The first line of each unit; a file without it was not written by Pawl.
    package static let mark = "# Written by pawl daemon install; pawl daemon uninstall removes it."

    /// The units for the program at a path.
    ///
    /// `environment`: the variables that the daemon needs to find the same folders as this process,
    /// because a service does not have the shell's environment. Throws `.usage` for a path that a
    /// unit cannot contain.
    package init(
        program: String,
        arguments: [String] = [],
        paths: DaemonPaths,
        environment: [(name: String, value: String)] = []
    ) throws(DownloadError) {
        for text in [program, paths.socket] + environment.map(\.value) {
            try Self.check(text)
        }
        let start = """
            \(Self.mark)
            # The next install overwrites this file. To change a setting permanently: systemctl --user edit

            """
        socket =
            start + """
                [Unit]
                Description=Socket of the Pawl daemon

                [Socket]
                ListenStream=\(Self.escaped(paths.socket))
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
                Description=Pawl daemon: downloads in the background
                Requires=\(Self.socketName)
                After=\(Self.socketName)

                [Service]
                Type=notify
                ExecStart=\(command)
                \(variables.joined())\
                # After a power cut, a large queue is checked first.
                TimeoutStartSec=infinity
                # The daemon stops within five seconds.
                TimeoutStopSec=15
                KillMode=mixed
                Restart=on-failure
                RestartSec=5
                # Another daemon, an unusable folder or an invalid option: a restart would not help.
                RestartPreventExitStatus=\(Self.finalStatuses)
                # Restrictions that do not affect downloads. Folders are not restricted, because files are
                # saved where you choose.
                \(Self.hardening)

                [Install]
                WantedBy=default.target

                """
    }

    /// The options that protect the system, except those that need a namespace, which a user's
    /// systemd may not be able to create.
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
            throw .usage(
                "a systemd unit cannot contain the path '\(text.sanitized)'",
                advice: "use a path without control characters"
            )
        }
    }

    /// Escapes `%`, which starts a specifier.
    private static func escaped(_ text: String) -> String {
        text.replacingASCII("%", with: "%%")
    }

    /// Quotes and escapes the text.
    ///
    /// In a command, `$` starts a variable.
    private static func quoted(_ text: String, isCommand: Bool) -> String {
        var text = escaped(text)
        for special: Unicode.Scalar in ["\\", "\""] {
            text = text.replacingASCII(special, with: "\\\(special)")
        }
        if isCommand { text = text.replacingASCII("$", with: "$$") }
        return "\"\(text)\""
    }
}
