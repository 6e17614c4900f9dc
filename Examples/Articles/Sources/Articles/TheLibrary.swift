import Foundation
import Pawl
import PawlLibrary

private struct Release: Decodable {
    var name: String
}

func theLibrary(_ sample: Sample) async throws {
    try await openCovers(sample.url)
    let configuration = LibraryConfiguration()
    let library = try await DownloadLibrary(
        folder: .directory(sample.folder + "/library"),
        configuration: configuration
    )
    let (url, other) = (sample.url, sample.url)
    try await ask(library, url, other)
    try await askWithSettings(library, url)
    try await read(library, sample.latest)
    try await follow(library, url)
    try await followSeveral(library, url, other)
    try await check(library)
    await library.close()
    try await openWithDrops(sample.folder)
    try await openConfigured(sample.folder)
}

/// The code in the comment of the type.
private func openCovers(_ url: URL) async throws {
    let library = try await DownloadLibrary(folder: .caches, named: "covers")
    let file = try await library.file(for: "album-17", from: url)
    print(file.path)
    await library.close()
}

private func ask(_ library: DownloadLibrary, _ url: URL, _ other: URL) async throws {
    async let one = library.file(for: "intro", from: url)
    async let same = library.file(for: "intro", from: url)  // joins: one request
    print(try await one == same)

    var request = LibraryRequest(url)
    request.name = "intro.mp4"
    request.policy = .revalidate
    let file = try await library.file(for: "intro", request)
    print(file.name)

    try library.start("trailer", from: url)  // does not wait
    if let progress = library.task(for: "trailer")?.currentProgress {
        print(progress.completedBytes)
    }
    library.pause("trailer")
    try library.replaceURL(other, for: "trailer")
    try library.start("trailer")  // resumes from there
    _ = try await library.file(for: "trailer")
}

private func askWithSettings(_ library: DownloadLibrary, _ url: URL) async throws {
    var request = LibraryRequest(url) { $0.retries = 3 }
    request.setValue("en", forHTTPHeaderField: "Accept-Language")
    let file = try await library.file(for: "english", request)
    if let size = try await ImageSize(ofFile: file.path) { print(size.width, size.height) }
}

private func read(_ library: DownloadLibrary, _ latest: URL) async throws {
    _ = try await library.file(for: "release", from: latest)
    let release: Release = try await library.json(of: "release")
    let text = try await library.string(of: "release", limit: 64 << 10)
    print(release.name, text)

    try await library.write(Array("seen".utf8), for: "notes")
    print(library.exists("notes"), try await library.size(of: "notes") ?? 0)
    print(try await library.delete("notes"))  // whether there was anything

    let policy = CleaningPolicy(maximumAge: .seconds(30 * 86_400), maximumTotalBytes: 2 << 30)
    let cleaning = try await library.clean(policy)
    print(cleaning.removed.count, cleaning.remainingBytes, try await library.size())
}

private func follow(_ library: DownloadLibrary, _ url: URL) async throws {
    for entry in library.entries {
        switch entry.state {
        case .finished: print(entry.key.text, entry.file?.path ?? "")
        case .failed(let error): print(entry.key.text, error)
        default: print(entry.key.text, entry.receivedBytes, entry.totalBytes ?? 0)
        }
    }

    let events = library.events
    try library.start("another", from: url)
    for await event in events {
        switch event {
        case .fileRemoved(let name, let key?): print("\(key.text) was removed: \(name)")
        case .fileChanged(let name, _): print("somebody wrote to \(name)")
        case .finished(let file): print("\(file.key.text) is complete")
        default: continue
        }
        break  // leaves the loop after the first of these events
    }
}

private func followSeveral(_ library: DownloadLibrary, _ url: URL, _ other: URL) async throws {
    try library.start("intro", from: url)
    try library.start("credits", from: other)
    for await total in library.progress(of: ["intro", "credits"]) {
        print("\(total.finishedCount) of \(total.taskCount)", total.fraction ?? 0)
    }
}

private func check(_ library: DownloadLibrary) async throws {
    let verification = try await library.verify()
    for fault in verification.faults {
        try await library.refetch(fault.key)
    }
}

private func openWithDrops(_ folder: String) async throws {
    var configuration = LibraryConfiguration()
    configuration.dropFolder = folder + "/drop"
    configuration.renewURL = { expired in
        try await freshLink(for: expired.key.text)
    }
    let library = try await DownloadLibrary(
        folder: .directory(folder + "/films"),
        configuration: configuration
    )
    await library.close()
}

private func openConfigured(_ folder: String) async throws {
    var configuration = LibraryConfiguration()
    configuration.session.maximumConcurrentDownloads = 2
    configuration.session.limitBytesPerSecond = 10 << 20
    configuration.session.settings.waitsForConnectivity = true
    configuration.finishedFilePolicy = .revalidate
    configuration.keepsDigests = false
    let library = try await DownloadLibrary(
        folder: .directory(folder),
        named: "configured",
        configuration: configuration
    )
    await library.close()
}

/// Leaves the download to the daemon.
func openFilms(_ url: URL) async throws {
    var configuration = LibraryConfiguration()
    configuration.session = .background(identifier: "org.example.films")
    let library = try await DownloadLibrary(
        folder: .caches,
        named: "films",
        configuration: configuration
    )
    try library.start("trailer", from: url)
    await library.close()
}

/// Gets the download of `openFilms` from the daemon.
func readFilms(_ url: URL) async throws {
    var configuration = LibraryConfiguration()
    configuration.session = .background(identifier: "org.example.films")
    let library = try await DownloadLibrary(
        folder: .caches,
        named: "films",
        configuration: configuration
    )
    let file = try await library.file(for: "trailer", from: url)
    print("trailer: \(file.byteCount) bytes")
    await library.close()
}

/// Asks the service that signs links.
private func freshLink(for key: String) async throws -> URL? { nil }
