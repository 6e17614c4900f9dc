import Foundation
import Pawl
import PawlLibrary
import PawlTestKit

func recipes(_ sample: Sample) async throws {
    let (url, folder) = (sample.url, sample.folder)
    let base = url.deletingLastPathComponent()
    try await withBar(url, folder)
    try await withEvents(url, folder)
    for error in await downloadAll([url, sample.latest], to: folder + "/queue") { print(error) }
    try await restarted(url, folder)
    try await cached(url, folder)
    try await mirrorReleases(from: base, and: base, to: folder + "/releases")
    try await tested(base)
}

private func withBar(_ url: URL, _ folder: String) async throws {
    let task = DownloadSession.shared.downloadTask(with: url, to: .file(folder + "/bar.iso"))
    task.resume()
    await showBar(of: task)
    _ = try await task.file
}

func showBar(of task: DownloadTask) async {
    for await progress in task.progress {
        let width = 30
        let count = Int((progress.fraction ?? 0) * Double(width))
        let bar = String(repeating: "#", count: count).padding(
            toLength: width,
            withPad: ".",
            startingAt: 0
        )
        print("\r[\(bar)] \(Int(progress.bytesPerSecond) >> 10) KiB/s  ", terminator: "")
        fflush(nil)
    }
    print()
}

private func withEvents(_ url: URL, _ folder: String) async throws {
    let task = DownloadSession.shared.downloadTask(with: url, to: .file(folder + "/events.iso"))
    let events = task.events
    task.resume()
    try await sendEvents(events) { text in print(text, terminator: "") }
}

func sendEvents(
    _ events: EventSequence<TaskEvent>,
    write: (String) async throws -> Void
) async throws {
    for await event in events {
        switch event {
        case .progress(let progress):
            let json = try JSONEncoder().encode(progress)
            try await write("event: progress\ndata: \(String(decoding: json, as: UTF8.self))\n\n")
        case .finished(let file):
            try await write("event: finished\ndata: \(file?.byteCount ?? 0)\n\n")
        case .failed(let error):
            try await write("event: failed\ndata: \(error.message)\n\n")
        default: continue
        }
    }
}

func downloadAll(_ urls: [URL], to folder: String) async -> [DownloadError] {
    var configuration = SessionConfiguration.default
    configuration.maximumConcurrentDownloads = 3
    configuration.connectionsPerHost = 4
    configuration.limitBytesPerSecond = 20 << 20
    let session = DownloadSession(configuration)

    let tasks = urls.map { session.downloadTask(with: $0, to: .directory(folder)) }
    for task in tasks { task.resume() }
    for await total in session.progress(of: tasks) {
        print("\(total.finishedCount) of \(total.taskCount) files, \(total.completedBytes) bytes")
    }
    return tasks.compactMap(\.error)
}

private func restarted(_ url: URL, _ folder: String) async throws {
    let list = folder + "/list.txt"
    try "\(url.absoluteString)\n".write(toFile: list, atomically: true, encoding: .utf8)
    for _ in 0..<2 { try await finishDownloads(listedIn: list, to: folder + "/listed") }
}

func finishDownloads(listedIn list: String, to folder: String) async throws {
    let session = DownloadSession()
    for line in try String(contentsOfFile: list, encoding: .utf8).split(separator: "\n") {
        guard let url = URL(string: String(line)) else { continue }
        let file = try await session.download(url, to: .directory(folder))
        print(file.wasAlreadyThere ? "complete before:" : "completed:", file.path)
    }
}

private func cached(_ url: URL, _ folder: String) async throws {
    let cache = try await AssetCache(.directory(folder))
    print(try await cache.path(of: url))
    await cache.close()
}

struct AssetCache: Sendable {
    private let library: DownloadLibrary

    init(_ place: Place = .caches) async throws(DownloadError) {
        var configuration = LibraryConfiguration()
        configuration.session.maximumConcurrentDownloads = 4
        configuration.session.settings.waitsForConnectivity = true
        configuration.finishedFilePolicy = .use
        library = try await DownloadLibrary(
            folder: place,
            named: "assets",
            configuration: configuration
        )
    }

    func path(of asset: URL) async throws(DownloadError) -> String {
        try await library.file(for: StorageKey(asset.absoluteString), from: asset).path
    }

    func close() async {
        _ = try? await library.clean(CleaningPolicy(maximumTotalBytes: 1 << 30))
        await library.close()
    }
}

func mirrorReleases(from base: URL, and mirror: URL, to folder: String) async throws {
    let session = DownloadSession()
    let list = try await session.data(from: base.appending(path: "SHA256SUMS")).string()
    for line in list.split(separator: "\n") {
        let words = line.split(separator: " ").map(String.init)
        guard words.count == 2, let digest = ContentDigest(.sha256, hexadecimal: words[0]) else {
            continue
        }
        let url = base.appending(path: words[1])
        let file = try await session.download(url, to: .directory(folder)) { settings in
            settings.checksum = .digest(digest)
            settings.mirrors = [mirror.appending(path: words[1])]
            settings.ifExists = .overwrite
        }
        print(file.wasAlreadyThere ? "unchanged:" : "fetched:", file.path)
    }
}

struct ReleaseFeed: Sendable {
    struct Release: Decodable {
        var name: String
    }

    var base: URL
    var session = DownloadSession.shared

    func latest() async throws -> Release {
        try await session.data(from: base.appending(path: "latest.json")).json(Release.self)
    }
}

private func tested(_ base: URL) async throws {
    let server = ScriptedServer()
    let latest = base.appending(path: "latest.json")
    server.respond(to: latest, with: .failure(.connectionLost), .text(#"{"name": "first"}"#))
    let session = DownloadSession(SessionConfiguration.ephemeral.scripted(by: server))
    let feed = ReleaseFeed(base: base, session: session)
    let release = try await feed.latest()
    print(release.name == "first")
}
