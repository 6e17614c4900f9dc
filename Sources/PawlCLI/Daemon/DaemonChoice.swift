internal import Pawl
package import PawlCore
internal import PawlWire

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
    let location: String
    private let token: OptionAssignment?
    /// Where a token is given that does not belong to the daemon, for errors.
    private let unusedTokenLocation: String?
    private let authoritiesFile: OptionAssignment?

    /// The value that stands for the daemon of this machine.
    private static let local = "local"

    /// Throws `.usage` for a value that is not valid.
    ///
    /// - Parameters:
    ///   - levels: The options at each level, of which later ones replace earlier ones.
    package init(_ levels: [[OptionAssignment]]) throws(DownloadError) {
        var base: BaseURL?
        var location = ""
        var (token, authorities) = (OptionAssignment?.none, OptionAssignment?.none)
        var unused: OptionAssignment?
        var mayBeUnencrypted = false
        for level in levels {
            if let option = level.last(where: { $0.name == UserConfig.daemon }) {
                let new = try Self.base(option)
                // What belongs to another daemon is not used for this one.
                if new != base {
                    unused = token ?? unused
                    (token, authorities, mayBeUnencrypted) = (nil, nil, false)
                }
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
        unusedTokenLocation = unused?.location
        guard let base, !base.isSecure, !base.isLoopback, !mayBeUnencrypted else { return }
        throw .usage(
            "\(location): over http://, others could read the token on the way to \(base.text)",
            advice:
                "use https://, connect to 127.0.0.1 through ssh -L, or add --daemon-unencrypted"
        )
    }

    /// Whether options choose the daemon of this machine.
    static func isLocal(_ options: [OptionAssignment]) -> Bool {
        options.last { $0.name == UserConfig.daemon }?.value.lowercased() == local
    }

    private static func base(_ option: OptionAssignment) throws(DownloadError) -> BaseURL? {
        guard option.value.lowercased() != local else { return nil }
        guard AddressParts(option.value).userInfo == nil else {
            throw .usage(
                "\(option.location): the URL of a daemon must not contain a user or a password",
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

    /// Returns the client of the daemon.
    ///
    /// May run the command that prints the token.
    func client() throws(DownloadError) -> DaemonClient {
        let paths = try DaemonPaths.current()
        guard let base else { return DaemonClient(paths) }
        guard let token else { throw missingToken(base) }
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

    private func missingToken(_ base: BaseURL) -> DownloadError {
        let title = "there is no token for the daemon at \(base.text)"
        if let unusedTokenLocation {
            return .usage(
                "\(title), and \(unusedTokenLocation) is not used for the daemon of \(location)",
                advice: """
                    give its token with --daemon-token-file, or set PAWL_DAEMON and \
                    PAWL_DAEMON_TOKEN without --daemon
                    """
            )
        }
        return .usage(
            title,
            advice: """
                give one with --daemon-token-file or PAWL_DAEMON_TOKEN, or daemon-token-command in \
                the config file; 'pawl daemon token' on the daemon's machine prints one
                """
        )
    }
}
