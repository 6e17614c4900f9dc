internal import Pawl
package import PawlCore
internal import PawlWire
internal import Synchronization

/// The daemon that commands use: that of this machine, or one over TCP.
///
/// The user chooses it in the config file, with variables, or with options before the subcommand;
/// later ones of these replace earlier ones. A token is used only for the daemon that is chosen at
/// the same level or before, so that no other receives it.
package struct DaemonChoice: Sendable {
    /// The URL of the daemon over TCP; `nil` for that of this machine.
    package let url: String?
    private let base: BaseURL?
    /// Where the daemon is chosen, for errors.
    private let location: String
    private let token: OptionAssignment?
    private let authoritiesFile: OptionAssignment?

    /// The option that stands for the daemon of this machine.
    private static let local = "local"

    /// Throws `.usage` for a value that is not valid.
    ///
    /// - Parameters:
    ///   - levels: The options at each level, of which later ones replace earlier ones.
    package init(_ levels: [[OptionAssignment]]) throws(DownloadError) {
        var base: BaseURL?
        var location = ""
        var (token, authorities) = (OptionAssignment?.none, OptionAssignment?.none)
        var mayBeUnencrypted = false
        for level in levels {
            if let option = level.last(where: { $0.name == UserConfig.daemon }) {
                let new = try Self.base(option)
                // What belongs to another daemon is not used for this one.
                if new != base { (token, authorities, mayBeUnencrypted) = (nil, nil, false) }
                (base, location) = (new, option.location)
            }
            for option in level {
                switch option.name {
                case UserConfig.daemonToken, UserConfig.daemonTokenFile: token = option
                case UserConfig.daemonCacert: authorities = option
                case UserConfig.daemonUnencrypted: mayBeUnencrypted = try Self.isOn(option)
                default: break
                }
            }
        }
        (self.base, self.location, url) = (base, location, base?.text)
        (self.token, authoritiesFile) = (token, authorities)
        guard let base, !base.isSecure, !base.isLoopback, !mayBeUnencrypted else { return }
        throw .usage(
            "\(location): over http://, others could read the token on the way to \(base.text)",
            advice:
                "use https://, or connect to 127.0.0.1 through ssh -L; --daemon-unencrypted allows it"
        )
    }

    private static func base(_ option: OptionAssignment) throws(DownloadError) -> BaseURL? {
        guard option.value.lowercased() != local else { return nil }
        guard AddressParts(option.value).userInfo == nil else {
            throw .usage(
                "\(option.location): the URL of a daemon has no user and no password",
                advice: "give a token instead, with --daemon-token-file"
            )
        }
        return try usage(option.location) { () throws(ValueError) in
            try BaseURL(parsing: option.value)
        }
    }

    private static func isOn(_ option: OptionAssignment) throws(DownloadError) -> Bool {
        switch option.value.lowercased() {
        case "true": return true
        case "false": return false
        default:
            throw .usage(
                "\(option.location): '\(option.value.sanitized(atMost: 40))' is neither true nor false",
                advice: "write true or false"
            )
        }
    }

    // MARK: - The choice of this process

    /// The options before the subcommand.
    private static let typed = Mutex<[OptionAssignment]>([])

    /// Sets the options before the subcommand, once at the start of the process.
    static func set(typed options: [OptionAssignment]) { typed.withLock { $0 = options } }

    /// The choice of this process.
    static func current() throws(DownloadError) -> DaemonChoice {
        let levels = try UserConfig.ofProcess().levelsOfDaemon
        return try DaemonChoice(levels + [typed.withLock { $0 }])
    }

    /// Whether the daemon has the files of another machine.
    ///
    /// One over TCP may be on this machine, but knows neither the current folder nor the user's files.
    static func isOnOtherMachine() throws(DownloadError) -> Bool { try current().url != nil }

    /// Throws `.usage` if the options before the subcommand choose a daemon for a command that uses
    /// none.
    static func checkNotTyped(for command: String, _ advice: Advice) throws(DownloadError) {
        guard let option = typed.withLock({ $0.first }) else { return }
        throw .usage("\(option.location) has no effect on '\(command)'", advice: advice)
    }

    /// Throws `.usage` unless the daemon of this machine is chosen, for a command that controls its
    /// process or its files.
    static func checkIsOfThisMachine(_ command: String) throws(DownloadError) {
        let choice = try current()
        guard let url = choice.url else { return }
        throw .usage(
            "'\(command)' is only for the daemon of this machine, and \(choice.location) chooses \(url)",
            advice:
                "run it on the daemon's machine, or use 'pawl --daemon local' for that of this machine"
        )
    }

    // MARK: - The client

    /// Returns the client of the daemon.
    ///
    /// May run the command that prints the token.
    func client() throws(DownloadError) -> DaemonClient {
        let paths = try DaemonPaths.current()
        guard let base else { return DaemonClient(paths) }
        guard let token else {
            throw .usage(
                "there is no token for the daemon at \(base.text)",
                advice: """
                    give one with --daemon-token-file or PAWL_DAEMON_TOKEN, or daemon-token-command in \
                    the config file; 'pawl daemon token' prints one on the daemon's machine
                    """
            )
        }
        if let file = authoritiesFile {
            try OutputPath.checkReadable(file.value, location: file.location)
        }
        return DaemonClient(
            paths,
            remote: RemoteDaemon(
                base,
                token: try DaemonToken.read(token),
                authoritiesFile: authoritiesFile?.value
            )
        )
    }
}
