import Foundation
import FoundationNetworking
import Pawl
import PawlCore
import PawlFoundation
import PawlTesting
import Testing

@Suite("Contract: Foundation's types", .timeLimit(.minutes(5)))
struct FoundationContract {
    private let resource = Resource(size: 1 << 20)

    @Test("NSURLRequest")
    func requests() async throws {
        let scene = try FoundationScene(.status(200, body: "thanks"), at: "/form")
        var original = URLRequest(url: try scene.url("/form"))
        original.httpMethod = "POST"
        original.httpBody = Data("a=1".utf8)
        original.setValue("yes", forHTTPHeaderField: "X-Own")
        let answer = try await scene.session.data(for: try DownloadRequest(original))
        #expect(answer.data == Data("thanks".utf8))
        let asked = try #require(scene.origin.requests.first)
        #expect(asked.method == "POST" && asked["X-Own"] == "yes")
        #expect(asked.body == Array("a=1".utf8))
        #expect(URLRequest(try DownloadRequest(original)).httpBody == original.httpBody)
        original.httpBodyStream = InputStream(data: Data("a=1".utf8))
        #expect(throws: DownloadError.self) { try DownloadRequest(original) }
    }

    @Test("NSHTTPURLResponse")
    func responses() async throws {
        let reply = Reply.resource(resource).adding("X-Two", "a").adding("X-Two", "b")
        let scene = try FoundationScene(reply)
        let url = try scene.url()
        let fetched = try await scene.session.data(from: url)
        let response = try #require(HTTPURLResponse(fetched.response))
        #expect(response.url == url && response.statusCode == 200)
        #expect(response.expectedContentLength == resource.size)
        #expect(response.mimeType == "application/octet-stream")
        #expect(response.value(forHTTPHeaderField: "etag") == resource.entityTag)
        #expect(response.value(forHTTPHeaderField: "X-Two") == "a, b")
    }

    @Test("NSHTTPCookie, setCookie:")
    func cookies() throws {
        let date = Date(timeIntervalSince1970: 4_000_000_000)
        var cookie = try Cookie(
            "id",
            value: "7",
            domain: ".example.org",
            path: "/films",
            expiryDate: date
        )
        (cookie.isSecure, cookie.isHTTPOnly) = (true, true)
        let foundation = try #require(HTTPCookie(cookie))
        #expect(foundation.name == "id" && foundation.value == "7")
        #expect(foundation.domain == ".example.org" && foundation.path == "/films")
        #expect(foundation.isSecure && foundation.isHTTPOnly)
        #expect(foundation.expiresDate == date)
        #expect(try Cookie(foundation) == cookie)
        let plain = try Cookie("id", value: "7", domain: "example.org")
        let brief = try #require(HTTPCookie(plain))
        #expect(brief.isSessionOnly && !brief.isSecure && !brief.isHTTPOnly)
        #expect(try Cookie(brief) == plain)
        let session = DownloadSession()
        session.setCookie(try Cookie(foundation))
        #expect(session.cookies == [cookie])
    }

    @Test("fileURLWithPath:")
    func fileURLs() async throws {
        let scene = try FoundationScene(.resource(resource))
        let file = try await scene.session.download(try scene.url(), to: .file(scene.target()))
        #expect(file.fileURL == scene.target())
        #expect(try Data(contentsOf: file.fileURL).count == 1 << 20)
    }

    @Test("NSError: domain, code, userInfo")
    func errors() async throws {
        let scene = try FoundationScene(.status(404))
        let url = try scene.url()
        let error = await #expect(throws: DownloadError.self) {
            try await scene.session.download(url)
        }
        let converted = try #require(error) as NSError
        #expect(converted.domain == PawlErrorDomain && converted.code == 3)
        #expect(converted.localizedDescription.contains("404"))
        #expect(converted.localizedRecoverySuggestion == "check the URL")
        #expect(converted.userInfo[NSURLErrorFailingURLErrorKey] as? URL == url)
    }

    @Test("NSProgress of a task")
    func progress() async throws {
        let scene = try FoundationScene(.resource(resource))
        let task = scene.session.downloadTask(
            with: try scene.url(),
            to: try .file(scene.target())
        )
        let progress = task.foundationProgress()
        progress.resume()
        _ = try await task.file
        while !progress.isFinished, !Task.isCancelled { await Task.yield() }
        #expect(progress.completedUnitCount == 1 << 20)
        #expect(progress.fileURL == scene.target())
    }
}
