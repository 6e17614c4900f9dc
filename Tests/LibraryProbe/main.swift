import FoundationEssentials
import Glibc
import Pawl
import PawlLibrary

// Another process that opens a test's folder as a library.
//
//   LibraryProbe FOLDER KEY URL      downloads one file and prints the result
//   LibraryProbe FOLDER drop DROP    imports files from a drop folder, until it is killed
//   LibraryProbe FOLDER watch        watches the files of the library, until it is killed
//   LibraryProbe FOLDER shelf [--session IDENTIFIER] [--take-over]
//                                    carries out the commands of its input (`BackgroundShelf`)
//   LibraryProbe FOLDER burst COUNT  creates, renames and removes files, without opening the library

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

/// Creates `count` files, renames every second and removes every third.
func burst(_ folder: String, _ count: Int) {
    for number in 0..<count {
        let file = open("\(folder)/\(number).tmp", O_WRONLY | O_CREAT | O_EXCL, 0o644)
        guard file >= 0 else { exit(1) }
        _ = withUnsafeBytes(of: number) { write(file, $0.baseAddress, number % 9) }
        close(file)
    }
    for number in stride(from: 0, to: count, by: 2) {
        rename("\(folder)/\(number).tmp", "\(folder)/\(number).done")
    }
    for number in stride(from: 0, to: count, by: 3) {
        unlink("\(folder)/\(number).tmp")
        unlink("\(folder)/\(number).done")
    }
    close(open("\(folder)/end", O_WRONLY | O_CREAT | O_EXCL, 0o644))
    say("done")
}

let arguments = CommandLine.arguments
guard arguments.count >= 3 else { exit(2) }
if arguments[2] == "burst", let count = arguments.last.flatMap({ Int($0) }) {
    burst(arguments[1], count)
    exit(0)
}
var configuration = LibraryConfiguration()
configuration.session.settings.connections = .fixed(1)
do throws(DownloadError) {
    if arguments[2] == "shelf" {
        try await BackgroundShelf(arguments[1], arguments[3...]).run()
        exit(0)
    }
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
