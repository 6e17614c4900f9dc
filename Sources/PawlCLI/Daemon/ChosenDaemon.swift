internal import Pawl
internal import PawlCore
internal import Synchronization

/// The daemon that the options, the environment and the config file of this process choose.
enum ChosenDaemon {
    /// The options before the subcommand.
    private static let typed = Mutex<[OptionAssignment]>([])

    /// Sets the options before the subcommand, once at the start of the process.
    static func set(typed options: [OptionAssignment]) { typed.withLock { $0 = options } }

    /// Reserves standard input if an option or a variable names it as the file of the token.
    ///
    /// Nothing else may read the token: it would appear in an error.
    static func reserveStandardInput() throws(DownloadError) {
        let typed = typed.withLock { $0 }
        guard !DaemonChoice.isLocal(typed) else { return }
        let options = UserConfig.takeVariables() + typed
        let file = options.last { $0.name == UserConfig.daemonTokenFile }
        guard let file, file.value == "-" else { return }
        try InputFile.reserveStandardInput(location: file.location)
    }

    /// The choice of this process.
    static func current() throws(DownloadError) -> DaemonChoice {
        let typed = typed.withLock { $0 }
        let variables = UserConfig.takeVariables()
        if DaemonChoice.isLocal(typed) { return try DaemonChoice([typed]) }
        // Mistakes in the config file do not matter to a daemon that needs nothing from it.
        let names = Set(typed.map(\.name))
        guard !names.contains(UserConfig.daemon) || !names.contains(UserConfig.daemonTokenFile)
        else { return try DaemonChoice([variables, typed]) }
        return try DaemonChoice(UserConfig.levelsOfDaemon() + [typed])
    }

    /// Whether the daemon is used over TCP: it has other folders and files, even on this machine.
    static func isRemote() throws(DownloadError) -> Bool { try current().url != nil }

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
}
