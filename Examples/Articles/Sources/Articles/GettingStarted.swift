import Foundation
import Pawl

private struct Release: Decodable {
    var name: String
}

func gettingStarted(_ sample: Sample) async throws {
    let (url, folder) = (sample.url, sample.folder)
    try await oneCall(url, folder)
    try await taskWithProgress(url, folder)
    try await ownSettings(url, folder)
    try ownCookies(DownloadSession(), url)
    await noRedirects(DownloadSession(), url)
    try storedSettings(.default)
    try await knownDigest(url, folder)
    try await inspected(url)
    try await mirrored(url, url, folder)
    try await smallThings(sample.latest)
    try await posted(sample.latest)
    try await ownFolders(url)
}

private func oneCall(_ url: URL, _ folder: String) async throws {
    let session = DownloadSession()
    let file = try await session.download(url, to: .directory(folder))
    print(file.path, file.byteCount)
}

private func taskWithProgress(_ url: URL, _ folder: String) async throws {
    let session = DownloadSession()
    let task = session.downloadTask(with: url, to: .file(folder + "/copy.iso"))
    task.resume()
    for await progress in task.progress {
        print(progress.fraction ?? 0, progress.bytesPerSecond)
    }
    let file = try await task.file
    print(file.path)
}

private func ownSettings(_ url: URL, _ folder: String) async throws {
    var configuration = SessionConfiguration.default
    configuration.maximumConcurrentDownloads = 3
    configuration.limitBytesPerSecond = 100 << 20
    configuration.settings.waitsForConnectivity = true
    let session = DownloadSession(configuration)

    var request = DownloadRequest(url) { settings in
        settings.retries = 3
        settings.connection.connectTimeout = .seconds(5)
    }
    request.setValue("Bearer 4711", forHTTPHeaderField: "Authorization")
    let task = session.downloadTask(with: request, to: .directory(folder))
    task.resume()
    _ = try await task.file

    configuration.cookies = .file(folder + "/cookies.txt")  // the default is .session; or .none
    _ = try await DownloadSession(configuration).data(from: url)
}

private func ownCookies(_ session: DownloadSession, _ url: URL) throws {
    for cookie in session.cookies(for: url) { print(cookie.name, cookie.expiryDate as Any) }
    session.deleteCookies { $0.domain == "example.org" }

    var cookie = try Cookie("id", value: "7", domain: "example.org")
    cookie.isSecure = true  // only HTTPS requests carry it
    session.setCookie(cookie)
}

private func noRedirects(_ session: DownloadSession, _ url: URL) async {
    do {
        _ = try await session.download(url) { $0.maximumRedirects = 0 }
    } catch {
        let response = error.errorResponse?.response
        print(error.code, response?.value("Location") ?? "")
    }
}

private func storedSettings(_ configuration: SessionConfiguration) throws {
    let json = try JSONEncoder().encode(configuration.settings)
    let settings = try JSONDecoder().decode(DownloadSettings.self, from: json)
    print(settings.waitsForConnectivity)
}

private func knownDigest(_ url: URL, _ folder: String) async throws {
    let session = DownloadSession()
    let known = try await sha256(of: url)
    guard let digest = ContentDigest(.sha256, hexadecimal: known) else { return }
    let file = try await session.download(url, to: .file(folder + "/verified.iso")) { settings in
        settings.checksum = .digest(digest)
    }
    print(file.verifiedDigest == nil ? "not verified" : "verified")
}

private func inspected(_ url: URL) async throws {
    let session = DownloadSession()
    let source = try await session.inspect(url)
    print(source.suggestedName, source.totalBytes ?? -1, source.mediaType ?? "")
    print(source.isResumable, source.digests)
}

private func mirrored(_ url: URL, _ mirror: URL, _ folder: String) async throws {
    let session = DownloadSession()
    let file = try await session.download(url, to: .file(folder + "/mirrored.iso")) { settings in
        settings.mirrors = [mirror]
    }
    print(file.path)
}

/// Returns the digest that a page beside the file would show.
///
/// Here the server sends it in a field.
private func sha256(of url: URL) async throws -> String {
    let answer = try await DownloadSession().bytes(from: url)
    return answer.response.value("X-SHA-256") ?? ""
}

private func smallThings(_ url: URL) async throws {
    let session = DownloadSession()
    let release = try await session.data(from: url).json(Release.self)
    let text = try await session.data(from: url, limit: 1 << 20).string()
    print(release.name, text)

    for try await line in try await session.bytes(from: url).lines {
        print(line)
    }
}

private func posted(_ url: URL) async throws {
    let session = DownloadSession()
    var request = DownloadRequest(url)
    request.method = "POST"
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    request.body = Array(#"{"name": "first"}"#.utf8)
    let answer = try await session.data(for: request)
    print(answer.response.status, answer.bytes.count)
}

private func ownFolders(_ url: URL) async throws {
    let places = Places(applicationIdentifier: "org.example.player")
    var configuration = SessionConfiguration.default
    configuration.applicationIdentifier = places.applicationIdentifier
    let session = DownloadSession(configuration)
    let file = try await session.download(url, to: .place(.caches, name: "copy.iso"))
    print(file.path)

    for place in [Place.documents, .caches, .temporary, .preferences, .applicationSupport] {
        print(place, try places.path(of: place))
    }

    let caches = try await places.folder(.caches)
    print(try await caches.size())
    try await places.clean(.caches, CleaningPolicy(maximumTotalBytes: 0))
}
