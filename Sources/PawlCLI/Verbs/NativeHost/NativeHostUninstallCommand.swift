internal import ArgumentParser
internal import Pawl
internal import PawlCore

/// `pawl native-host uninstall`: removes what `install` has written.
struct NativeHostUninstallCommand: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: "uninstall",
        abstract: "Disconnect browsers from the daemon."
    )

    @OptionGroup var choice: BrowserOptions

    func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
        let folders = try choice.folders { _ in true }
        return {
            var isRemoved = false
            for folder in folders {
                let manifest = HostManifest(in: folder)
                do throws(DownloadError) {
                    guard try manifest.uninstall() else { continue }
                } catch {
                    console.report(error)
                    return error.code.exitStatus
                }
                isRemoved = true
                console.message("Removed: \(manifest.path)")
            }
            if !isRemoved { console.message("Nothing to remove.") }
            return 0
        }
    }
}
