import Foundation
import Pawl
import PawlTestKit

// The code under test takes the session as a parameter.
struct ImageFetcher: Sendable {
    var session = DownloadSession.shared

    func fetch(_ url: URL, to folder: String) async throws -> DownloadedFile {
        try await session.download(url, to: .directory(folder))
    }
}

// `TestWithoutNetwork FOLDER` tests that a download survives a broken connection.
guard CommandLine.arguments.count == 2, let url = URL(string: "https://example.com/disk.iso") else {
    print("usage: TestWithoutNetwork FOLDER")
    exit(2)
}
let bytes = [UInt8](repeating: 7, count: 1_000_000)
let server = ScriptedServer()
server.respond(to: url, with: .body(bytes).breaking(afterBytes: 400_000), .body(bytes))

do {
    let session = DownloadSession(SessionConfiguration.default.scripted(by: server))
    let file = try await ImageFetcher(session: session).fetch(url, to: CommandLine.arguments[1])
    for request in server.requests {
        print(request.method, request.url, request["Range"] ?? "the whole file")
    }
    let content = try Data(contentsOf: URL(filePath: file.path))
    guard content == Data(bytes) else {
        print("FAILED: wrong content")
        exit(1)
    }
    print("passed")
} catch {
    print("FAILED: \(error)")
    exit(1)
}
