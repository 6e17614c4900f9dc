internal import ArgumentParser
internal import Glibc
internal import Pawl
internal import PawlCore
internal import PawlWire

/// `pawl native-host run`: answers the browser extension on standard input and output.
struct NativeHostRunCommand: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Answer the browser extension; browsers start this command.",
        discussion: """
            Reads messages from standard input and answers on standard output, until the browser \
            closes its end. The extension can only add downloads. Their files are saved in the \
            downloads folder.
            """
    )

    // Chromium passes the origin of the extension, Firefox the path of the manifest and the
    // extension's id. The browser has checked them already.
    @Argument(help: .hidden) var caller: [String] = []

    func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
        guard isatty(STDIN_FILENO) == 0 else {
            throw .usage(
                "only browsers start this command",
                advice: "to connect your browsers, run 'pawl native-host install'"
            )
        }
        let client = try ChosenDaemon.current().client()
        let host = NativeHost(client, folder: ConfinedFolder.downloads)
        return { await host.run() }
    }
}
