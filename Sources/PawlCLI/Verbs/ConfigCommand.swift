internal import ArgumentParser
internal import FoundationEssentials
internal import PawlCore

/// `pawl config`: shows, edits and checks the options that apply to all commands.
struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Show, edit or check the options that apply to all commands.",
        discussion: """
            The config file, ~/.config/pawl/config.toml (or below $XDG_CONFIG_HOME), is written in \
            TOML. Its keys are the names of options without '--'; an option that can be given \
            several times has a list. [defaults] applies to all downloads. A section such as \
            [host."*.example.org"] or [host."example.org:8080"] applies to matching hosts and \
            overrides [defaults]; a later section overrides earlier ones. Environment variables \
            such as PAWL_STALL_TIMEOUT override the file; the variable for an option that can be \
            given several times has one value per line. Options on the command line override both. \
            To turn off a flag of the file for one command, set its variable to false, such as \
            PAWL_COMPRESSED=false.

            A command can supply a secret: password-command = "pass show example.org" is run with \
            sh when the password of 'user' is needed, and the first line of its output is used. \
            Likewise, bearer-command supplies the token, and each other secret option has such a \
            key.

            In [defaults], daemon is the URL of the daemon of another machine. Its token is the \
            first line of the file daemon-token-file, or of the output of daemon-token-command; \
            daemon-cacert is a file of certificate authorities. See 'pawl --help'.
            """,
        subcommands: [Show.self, Edit.self, Check.self],
        defaultSubcommand: Show.self
    )

    /// `pawl config show`: prints the options and where they are set.
    struct Show: PawlVerb {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Show the options and where they are set; secrets are hidden.",
            usage: "pawl config [show] [--all] [--json] [<url>]"
        )

        @Argument(
            help: ArgumentHelp(
                "Show only what applies to this URL, and which values are replaced.",
                valueName: "url"
            )
        )
        var url: String?

        @Flag(help: "Also show the defaults of all other options.")
        var all = false

        @Flag(help: "Print JSON.")
        var json = false

        @OptionGroup var choice: ConfigOptions

        func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
            let config = try choice.read()
            if let url { _ = try SourceURL.read(url) }
            var report = ConfigReport(config, url: url)
            if all { report.addDefaults() }
            return { [json, report] in
                guard !report.isEmpty || json else {
                    console.message("no options are set; 'pawl config edit' opens the config file")
                    return 0
                }
                console.output(json ? JSONOutput.pretty(report.entries) + "\n" : report.text)
                return 0
            }
        }
    }

    /// `pawl config edit`: opens the config file in an editor, then checks it.
    struct Edit: PawlVerb {
        static let configuration = CommandConfiguration(
            commandName: "edit",
            abstract: "Edit the config file with $VISUAL or $EDITOR, and check it.",
            discussion: "A file that does not exist is created with examples."
        )

        @OptionGroup var choice: ConfigOptions

        func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
            let editor = try ConfigEditor(try UserConfig.file(choice.config))
            return {
                do throws(DownloadError) {
                    try await editor.run()
                } catch {
                    console.report(error)
                    return error.code.exitStatus
                }
            }
        }
    }

    /// `pawl config check`: checks all values.
    struct Check: PawlVerb {
        static let configuration = CommandConfiguration(
            commandName: "check",
            abstract: "Check every option in the config file and in the environment.",
            discussion: "Commands that print secrets are not run."
        )

        @OptionGroup var choice: ConfigOptions

        func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
            let location = ConfigLocation(try UserConfig.file(choice.config))
            let config = try choice.read()
            try config.check()
            let isThere = location.exists
            let notes =
                location.notes(config)
                + ConfigVariables.notes(
                    on: ConfigVariables.unknown(in: ProcessInfo.processInfo.environment)
                )
            return {
                notes.forEach(console.message)
                console.output("\(location.name) \(isThere ? "is valid" : "does not exist")\n")
                return 0
            }
        }
    }
}
