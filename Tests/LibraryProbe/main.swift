import FoundationEssentials
import Glibc
import Pawl

// Another process that opens a test's folder as a library.
//
//   LibraryProbe FOLDER KEY URL      downloads one file and prints the result
//   LibraryProbe FOLDER drop DROP    imports files from a drop folder, until it is killed
//   LibraryProbe FOLDER watch        watches the files of the library, until it is killed

func say(_ text: String) {
    print(text)
    fflush(nil)
}

/// Prints the names of some files as they are added, and all names once `very-last` is added.
func watch(_ library: DownloadLibrary) async {
    var names: Set<String> = []
    for await event in library.events {
        switch event {
        case .fileAdded(let name, _):
            names.insert(name)
            if ["end", "last"].contains(name) { say("added \(name)") }
            if name == "very-last" { say("names \(names.sorted().joined(separator: " ")) .") }
        case .fileRemoved(let name, _): names.remove(name)
        case .fileRenamed(let old, let new, _):
            names.remove(old)
            names.insert(new)
        case .eventsLost: say("lost")
        default: break
        }
    }
}

let arguments = CommandLine.arguments
guard arguments.count >= 3 else { exit(2) }
var configuration = LibraryConfiguration()
configuration.session.settings.connections = .fixed(1)
do throws(DownloadError) {
    if arguments[2] == "drop" { configuration.dropFolder = arguments.last }
    let library = try await DownloadLibrary(
        folder: .directory(arguments[1]),
        configuration: configuration
    )
    switch arguments[2] {
    case "drop", "watch":
        say("open")
        await watch(library)
    default:
        guard let url = URL(string: arguments.last ?? "") else { exit(2) }
        let file = try await library.file(for: StorageKey(arguments[2]), from: url)
        say("finished \(file.name) \(file.byteCount)")
    }
    await library.close()
} catch {
    say("error \(error.code.rawValue): \(error)")
    exit(1)
}
