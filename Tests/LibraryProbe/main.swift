import FoundationEssentials
import Glibc
import Pawl

// Another process with a library over a test's folder: `LibraryProbe FOLDER KEY URL` fetches one file and
// says how that ended.

let arguments = CommandLine.arguments
guard arguments.count == 4, let url = URL(string: arguments[3]) else { exit(2) }
var configuration = LibraryConfiguration()
configuration.session.settings.connections = .fixed(1)
do throws(DownloadError) {
    let library = try await DownloadLibrary(
        folder: .directory(arguments[1]),
        configuration: configuration
    )
    let file = try await library.file(for: StorageKey(arguments[2]), from: url)
    print("finished \(file.name) \(file.byteCount)")
    await library.close()
} catch {
    print("error \(error.code.rawValue): \(error)")
    exit(1)
}
