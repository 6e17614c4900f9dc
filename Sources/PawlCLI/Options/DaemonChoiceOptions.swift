package import ArgumentParser
package import PawlCore

/// The options before the subcommand, which choose the daemon.
package struct DaemonChoiceOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Use the daemon at this URL, such as https://nas.example:6880/. Default: local, the "
                + "daemon of this machine. Give this option before the subcommand: pawl --daemon "
                + "<url> list. PAWL_DAEMON and the config file can set it, too.",
            valueName: "url|local"
        )
    )
    package var daemon: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Read the token of --daemon from this file, which must be readable only by you; - is "
                + "standard input. Alternatively, set PAWL_DAEMON_TOKEN to the token, or "
                + "daemon-token-command in the config file to a command that prints it.",
            valueName: "file"
        )
    )
    package var daemonTokenFile: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Trust these certificate authorities for --daemon instead of the system's: a PEM file.",
            valueName: "file"
        )
    )
    package var daemonCacert: String?

    @Flag(
        help:
            "Allow an http:// URL of another machine for --daemon. Others can then read the token."
    )
    package var daemonUnencrypted = false

    package init() {}

    /// The names, with their hyphens.
    private static let names = UserConfig.daemonNames.map { "--\($0)" }
    private static let token = "--\(UserConfig.daemonToken)"
    private static let flag = "--\(UserConfig.daemonUnencrypted)"

    /// Removes the options from the beginning of the arguments, and returns them.
    ///
    /// Throws `.usage` for one without a value, and for the token itself.
    package static func take(
        from arguments: inout [String]
    ) throws(DownloadError) -> [OptionAssignment] {
        var words: [String] = []
        while let word = arguments.first, let name = name(of: word) {
            guard name != token else {
                throw .usage(
                    "\(token) would show the token in the list of processes",
                    advice: "use --daemon-token-file, or the variable PAWL_DAEMON_TOKEN"
                )
            }
            let count = name == flag || word != name ? 1 : 2
            guard arguments.count >= count else {
                throw .usage("\(name) needs a value", advice: "see 'pawl --help'")
            }
            words += arguments.prefix(count)
            arguments.removeFirst(count)
        }
        guard !words.isEmpty else { return [] }
        do {
            return OptionAssignment.all(in: try parse(words))
        } catch {
            // Only a flag with a value gets here.
            throw .usage("\(flag) takes no value", advice: "see 'pawl --help'")
        }
    }

    private static func name(of word: String) -> String? {
        let name = String(word.prefix { $0 != "=" })
        return names.contains(name) ? name : nil
    }

    /// Throws `.usage` if one of the options does not stand before the subcommand.
    static func checkNone(in arguments: [String]) throws(DownloadError) {
        let words = arguments.prefix { $0 != "--" }
        guard let name = words.lazy.compactMap({ name(of: $0) }).first else { return }
        throw .usage(
            "\(name) must stand before the subcommand",
            advice: "write it as in 'pawl --daemon https://nas.example:6880/ list'"
        )
    }
}
