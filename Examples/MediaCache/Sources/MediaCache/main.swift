import Foundation
import Pawl
import PawlLibrary

// A cache of media by key. Each call is a separate process, which finds the files of the last one.
let usage = """
    usage: MediaCache FOLDER get KEY [URL]
           MediaCache FOLDER list
           MediaCache FOLDER trim MEGABYTES
           MediaCache FOLDER verify
           MediaCache FOLDER remove KEY
    """

var arguments = CommandLine.arguments.dropFirst()
guard let folder = arguments.popFirst(), let verb = arguments.popFirst() else {
    print(usage)
    exit(2)
}

do {
    let library = try await DownloadLibrary(folder: .directory(folder))
    switch (verb, arguments.count) {
    case ("get", 1...2):
        let key = StorageKey(arguments.removeFirst())
        try await get(key, arguments.first.flatMap { URL(string: $0) }, library)
    case ("list", 0): try await list(library)
    case ("trim", 1): try await trim(library, Int64(arguments.removeFirst()) ?? 0)
    case ("verify", 0): try await verify(library)
    case ("remove", 1):
        let key = StorageKey(arguments.removeFirst())
        print(try await library.delete(key) ? "removed" : "not there")
    default:
        print(usage)
        exit(2)
    }
    await library.close()
} catch {
    print("failed: \(error)")
    exit(1)
}
