import Foundation
import Pawl

private actor Shelf {
    var names: [String] = []

    func add(_ name: String) { names.append(name) }
}

private final class ShelfFiller: DownloadSessionDelegate {
    let shelf: Shelf

    init(_ shelf: Shelf) { self.shelf = shelf }

    func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didFinishDownloadingTo file: DownloadedFile
    ) {
        shelf.assumeIsolated { $0.names.append(file.path) }
    }
}

func concurrencyRules(_ sample: Sample) async throws {
    let (url, folder) = (sample.url, sample.folder)
    let shelf = Shelf()
    var configuration = SessionConfiguration.default
    configuration.delegateExecutor = .actor(shelf)
    let session = DownloadSession(configuration, delegate: ShelfFiller(shelf))
    _ = try await session.download(url, to: .directory(folder))
    try await several([url], folder)
}

private func several(_ urls: [URL], _ folder: String) async throws {
    let session = DownloadSession()
    let files = try await withThrowingTaskGroup(of: DownloadedFile.self) { group in
        for url in urls {
            group.addTask { try await session.download(url, to: .directory(folder)) }
        }
        var files: [DownloadedFile] = []
        for try await file in group { files.append(file) }
        return files
    }
    print(files.count)
}
