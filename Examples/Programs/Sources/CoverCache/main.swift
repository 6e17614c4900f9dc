import Foundation
import Pawl
import PawlLibrary

// `CoverCache FOLDER KEY URL` prints the path of the key's file. Only the first call downloads it.
let arguments = CommandLine.arguments
guard arguments.count == 4, let url = URL(string: arguments[3]) else {
    print("usage: CoverCache FOLDER KEY URL")
    exit(2)
}

var configuration = LibraryConfiguration()
configuration.session.settings.retries = 3
configuration.session.settings.stallTimeout = .seconds(10)
configuration.session.limitBytesPerSecond = 50 << 20

do throws(DownloadError) {
    let library = try await DownloadLibrary(
        folder: .directory(arguments[1]),
        configuration: configuration
    )
    let key = StorageKey(arguments[2])
    let isStored = library.exists(key)
    let file = try await library.file(for: key, from: url)
    print(isStored ? "from the cache:" : "downloaded:", file.path)

    let cleaning = try await library.clean(CleaningPolicy(maximumTotalBytes: 500 << 20))
    print("\(cleaning.remainingBytes) bytes in the cache")
    await library.close()
} catch {
    print("failed: \(error)")
    exit(1)
}
