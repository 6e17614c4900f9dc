internal import ArgumentParser

/// `pawl native-host`: connects the browser extension with the daemon.
struct NativeHostCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "native-host",
        abstract: "Connect the browser extension with the daemon.",
        discussion: """
            After 'pawl native-host install', the browser extension hands links and downloads to \
            the daemon, with the cookies that the browser would send.
            """,
        subcommands: [
            NativeHostInstallCommand.self, NativeHostUninstallCommand.self,
            NativeHostRunCommand.self,
        ]
    )
}
