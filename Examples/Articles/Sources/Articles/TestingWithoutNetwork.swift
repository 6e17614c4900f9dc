import Foundation
import Pawl
import PawlLibrary
import PawlTestKit

func testingWithoutNetwork(_ sample: Sample) async throws {
    let (url, folder) = (sample.url, sample.folder)
    let bytes = [UInt8](repeating: 7, count: 1_000_000)
    try await fetched(url, bytes, responses(url, bytes))
    try await fetched(url, bytes, broken(url, bytes))
    try await fetched(url, bytes, impatient(url, bytes))
    try await scripted(url)
    try await posted(url)
    try await held(url, bytes, folder)
    try await shelved(url, bytes, folder + "/library")
}

private func fetched(_ url: URL, _ bytes: [UInt8], _ server: ScriptedServer) async throws {
    let session = DownloadSession(SessionConfiguration.ephemeral.scripted(by: server))
    let file = try await session.download(url)
    print(server.requests.count, file.byteCount == bytes.count)
}

private func responses(_ url: URL, _ bytes: [UInt8]) -> ScriptedServer {
    let mirror = url.appending(path: "mirror")
    let server = ScriptedServer()
    let moved = ScriptedResponse.redirect(to: mirror)
    let busy = ScriptedResponse.status(503).field("Retry-After", "0")
    server.respond(to: url, with: moved)
    server.respond(to: mirror, with: busy, .body(bytes))
    return server
}

private func broken(_ url: URL, _ bytes: [UInt8]) -> ScriptedServer {
    let server = ScriptedServer()
    let broken = ScriptedResponse.body(bytes).breaking(afterBytes: 400_000)
    server.respond(to: url, with: broken, .body(bytes))
    return server
}

private func impatient(_ url: URL, _ bytes: [UInt8]) -> ScriptedServer {
    let server = ScriptedServer(clockSpeed: 200)
    let busy = ScriptedResponse.status(503).field("Retry-After", "20")
    server.respond(to: url, with: busy, .body(bytes))
    return server
}

private func scripted(_ url: URL) async throws {
    let server = ScriptedServer()
    server.respond(to: url, with: .text(#"{"name": "first"}"#))
    let session = DownloadSession(SessionConfiguration.ephemeral.scripted(by: server))
    print(try await session.data(from: url).string())
}

private func posted(_ url: URL) async throws {
    let server = ScriptedServer { request in
        guard request.method == "POST", request["Authorization"] != nil else {
            return .status(401, text: "who are you?")
        }
        return .text(#"{"received": \#(request.body.count)}"#, mediaType: "application/json")
    }
    let session = DownloadSession(SessionConfiguration.ephemeral.scripted(by: server))
    var request = DownloadRequest(url)
    request.method = "POST"
    request.acceptsErrorStatuses = true
    print(try await session.data(for: request).string())
}

private func held(_ url: URL, _ bytes: [UInt8], _ folder: String) async throws {
    let server = ScriptedServer()
    let session = DownloadSession(SessionConfiguration.default.scripted(by: server))
    let hold = ResponseHold()
    server.respond(to: url, with: .body(bytes).holding(afterBytes: 400_000, until: hold))
    let task = session.downloadTask(with: url, to: .directory(folder))
    task.resume()
    await hold.waitUntilReached()
    print(task.currentProgress.completedBytes)
    hold.release()
    print(try await task.file.byteCount)
}

private func shelved(_ url: URL, _ bytes: [UInt8], _ folder: String) async throws {
    let server = ScriptedServer()
    server.respond(to: url, with: .body(bytes))
    var configuration = LibraryConfiguration()
    configuration.session = SessionConfiguration.default.scripted(by: server)
    let library = try await DownloadLibrary(
        folder: .directory(folder),
        configuration: configuration
    )
    let file = try await library.file(for: "disk", from: url)
    print(file.path)
    await library.close()
}
