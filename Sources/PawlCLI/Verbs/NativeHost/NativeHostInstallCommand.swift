internal import ArgumentParser
internal import Pawl
internal import PawlCore

/// `pawl native-host install`: lets browsers start the native host.
struct NativeHostInstallCommand: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: "install",
        abstract: "Let Pawl's browser extension reach the daemon.",
        discussion: """
            Writes org.pawl.host.json, and the script that it names, to the folder in which the \
            browser looks for such files. Only Pawl's extension may use them. You can run this \
            command repeatedly. Browsers in a sandbox (Snap, Flatpak) cannot start programs \
            outside of it.
            """
    )

    @OptionGroup var choice: BrowserOptions

    func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
        let surroundings = try ServiceSurroundings.current()
        let folders = try choice.folders { $0.isUsed }
        guard !folders.isEmpty else {
            throw DownloadError(
                .notFound,
                "no browser was found",
                advice: "start the browser once, or name it with --browser"
            )
        }
        return {
            for folder in folders {
                let manifest = HostManifest(in: folder)
                do throws(DownloadError) {
                    try manifest.install(surroundings)
                } catch {
                    console.report(error)
                    return error.code.exitStatus
                }
                console.message("Connected with \(folder.browser.rawValue): \(manifest.path)")
            }
            return 0
        }
    }
}
