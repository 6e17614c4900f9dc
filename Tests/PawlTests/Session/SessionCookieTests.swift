import struct FoundationEssentials.Date
import struct FoundationEssentials.URL
import Glibc
import Pawl
import PawlTesting
import Testing

/// Cookies that servers set, from one task to the next.
@Suite(.timeLimit(.minutes(5)))
struct SessionCookieTests {
    private let resource = Resource(size: 50_000)

    /// A login that sets a cookie and redirects, and a file that requires the cookie.
    private func scene() throws -> SessionScene {
        let scene = try SessionScene()
        let file = Reply.resource(resource)
        scene.origin.route(
            "/login",
            .redirect(to: "/file").setting("Set-Cookie", "id=7; Path=/")
        )
        scene.origin.route(
            "/file",
            Reply.status(403).choosing(file) { $0.request["Cookie"] == "id=7" }
        )
        return scene
    }

    @Test func `a cookie set by a redirect is sent for the whole session`() async throws {
        let scene = try scene()
        let session = DownloadSession(scene.configuration)
        let first = session.downloadTask(with: try scene.url("/login"), to: scene.target("a"))
        first.resume()
        #expect(try resource.verify(fileAt: await first.file.path) == nil)
        let second = session.downloadTask(with: try scene.url("/file"), to: scene.target("b"))
        second.resume()
        #expect(try resource.verify(fileAt: await second.file.path) == nil)
        let fetched = try await session.data(from: scene.url("/file"))
        #expect(fetched.response.status == 200)
    }

    @Test func `another session has no cookies, and one that keeps none sends none`() async throws {
        let scene = try scene()
        let first = DownloadSession(scene.configuration)
        let task = first.downloadTask(with: try scene.url("/login"), to: scene.target("a"))
        task.resume()
        _ = try await task.file
        let other = DownloadSession(scene.configuration)
        let guest = other.downloadTask(with: try scene.url("/file"), to: scene.target("b"))
        guest.resume()
        await #expect(throws: DownloadError.self) { try await guest.file }

        var configuration = scene.configuration
        configuration.cookies = .none
        let without = DownloadSession(configuration)
        let refused = without.downloadTask(with: try scene.url("/login"), to: scene.target("c"))
        refused.resume()
        await #expect(throws: DownloadError.self) { try await refused.file }
    }

    @Test func `a response with very many cookies costs other hosts none`() async throws {
        let scene = try scene()
        var reply = Reply.status(200, body: "many")
        for number in 0..<60 { reply = reply.adding("Set-Cookie", "n\(number)=1") }
        scene.origin.route("/many", reply)
        let session = DownloadSession(scene.configuration)
        let login = session.downloadTask(with: try scene.url("/login"), to: scene.target("a"))
        login.resume()
        _ = try await login.file
        let many = scene.origin.url("/many").replacing("127.0.0.1", with: "localhost")
        let url = try #require(URL(string: many))
        for _ in 0..<3 { _ = try await session.data(from: url) }
        let file = session.downloadTask(with: try scene.url("/file"), to: scene.target("b"))
        file.resume()
        #expect(try resource.verify(fileAt: await file.file.path) == nil)
    }

    @Test func `single cookies are read and deleted`() async throws {
        let scene = try scene()
        let session = DownloadSession(scene.configuration)
        #expect(session.cookies.isEmpty)
        _ = try await session.data(from: scene.url("/login"))
        let cookie = try #require(session.cookies.first)
        #expect(session.cookies == [cookie])
        #expect(cookie.name == "id" && cookie.value == "7" && cookie.domain == "127.0.0.1")
        #expect(cookie.expiryDate == nil)
        #expect(session.cookies(for: try scene.url("/file")) == [cookie])
        #expect(session.cookies(for: try scene.url("/file", host: "localhost")).isEmpty)
        #expect(session.deleteCookie(cookie))
        #expect(!session.deleteCookie(cookie))
        #expect(session.cookies.isEmpty)
        let error = await #expect(throws: DownloadError.self) {
            try await session.data(from: scene.url("/file"))
        }
        #expect(error?.httpStatus == 403)
        var configuration = scene.configuration
        configuration.cookies = .none
        let without = DownloadSession(configuration)
        #expect(without.cookies.isEmpty)
        #expect(!without.deleteCookie(cookie))
    }

    @Test func `a cookie that the program sets is sent, and replaces one of its name`()
        async throws
    {
        let scene = try scene()
        let session = DownloadSession(scene.configuration)
        let wrong = try Cookie("id", value: "6", domain: "127.0.0.1")
        let cookie = try Cookie("id", value: "7", domain: "127.0.0.1")
        #expect(session.setCookie(wrong))
        #expect(session.setCookie(cookie))
        #expect(session.cookies == [cookie])
        _ = try await session.data(from: scene.url("/file"))
        #expect(scene.origin.requests.last?["Cookie"] == "id=7")
        var secure = try Cookie("token", value: "x", domain: "example.org")
        secure.isSecure = true
        session.setCookie(secure)
        _ = try await session.data(from: scene.url("/file"))
        #expect(scene.origin.requests.last?["Cookie"] == "id=7")
        #expect(session.deleteCookie(cookie))
        #expect(session.cookies == [secure])
        var configuration = scene.configuration
        configuration.cookies = .none
        let without = DownloadSession(configuration)
        #expect(!without.setCookie(cookie))
        #expect(without.cookies.isEmpty)
    }

    // MARK: - In a file

    @Test func `a lasting cookie that the program sets is in the file`() async throws {
        let scene = try lastingScene()
        let delegate = RecordingDelegate()
        let session = session(scene, delegate)
        let date = Date(timeIntervalSince1970: 4_000_000_000)
        session.setCookie(try Cookie("id", value: "7", domain: "127.0.0.1", expiryDate: date))
        session.setCookie(try Cookie("brief", value: "1", domain: "example.org"))
        _ = try await session.data(from: scene.url("/file"))
        session.finishTasksAndInvalidate()
        await delegate.allCalls(.invalid)
        let line = "127.0.0.1\tFALSE\t/\tFALSE\t4000000000\tid\t7"
        #expect(try lines(scene).map(String.init) == [line])
    }

    @Test func `a cookie is deleted from the file, and the lines of others stay`() async throws {
        let scene = try lastingScene()
        let kept = "other.example\tTRUE\t/\tTRUE\t0\ttoken\tabc"
        try scene.folder.write("cookies.txt", kept + "\n")
        try await fetch(scene, "/login")
        #expect(try lines(scene).count == 2)
        let delegate = RecordingDelegate()
        let session = session(scene, delegate)
        #expect(session.cookies.map(\.name) == ["token", "id"])
        #expect(session.cookies.last?.expiryDate != nil)
        let deleted = session.deleteCookies { $0.domain == "127.0.0.1" }
        #expect(deleted.map(\.name) == ["id"])
        session.finishTasksAndInvalidate()
        await delegate.allCalls(.invalid)
        #expect(try lines(scene).map(String.init) == [kept])
        #expect(session.cookies.map(\.name) == ["token"])
    }

    private static let year = 31_536_000

    /// A login that sets two lasting cookies and one of the session.
    private func lastingScene() throws -> SessionScene {
        let scene = try scene()
        let reply = Reply.redirect(to: "/file")
            .setting("Set-Cookie", "id=7; Path=/; Max-Age=\(Self.year)")
        scene.origin.route("/login", reply)
        scene.origin.route(
            "/brief",
            .resource(resource).setting("Set-Cookie", "brief=1; Path=/")
        )
        scene.origin.route(
            "/logout",
            .resource(resource).setting("Set-Cookie", "id=; Path=/; Max-Age=0")
        )
        return scene
    }

    private func session(
        _ scene: SessionScene,
        _ delegate: RecordingDelegate = RecordingDelegate()
    ) -> DownloadSession {
        var configuration = scene.configuration
        configuration.cookies = .file(scene.folder.path("cookies.txt"))
        return DownloadSession(configuration, delegate: delegate)
    }

    /// Fetches paths in a session that then ends, as its process would.
    private func fetch(_ scene: SessionScene, _ paths: String...) async throws {
        let delegate = RecordingDelegate()
        let session = session(scene, delegate)
        for path in paths { _ = try await session.data(from: scene.url(path)) }
        session.finishTasksAndInvalidate()
        await delegate.allCalls(.invalid)
    }

    private func lines(_ scene: SessionScene) throws -> [Substring] {
        let text = String(decoding: try scene.folder.read("cookies.txt"), as: UTF8.self)
        return text.split(separator: "\n").filter { !$0.hasPrefix("# ") }
    }

    @Test func `another file is not replaced by cookies`() async throws {
        let scene = try lastingScene()
        try scene.folder.write("cookies.txt", "remember\n")
        try await fetch(scene, "/login")
        #expect(try scene.folder.read("cookies.txt") == Array("remember\n".utf8))
    }

    @Test func `a cookie file serves the next session, without cookies of the session`()
        async throws
    {
        let scene = try lastingScene()
        try await fetch(scene, "/login", "/brief")
        let lines = try lines(scene)
        #expect(lines.count == 1)
        #expect(lines.first?.hasPrefix("127.0.0.1\tFALSE\t/\tFALSE\t") == true)
        #expect(lines.first?.hasSuffix("\tid\t7") == true)
        #expect(scene.folder.list() == ["cookies.txt"])
        var status = stat()
        #expect(stat(scene.folder.path("cookies.txt"), &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        try await fetch(scene, "/file")
        #expect(scene.origin.requests.last?["Cookie"] == "id=7")
        try await fetch(scene, "/logout")
        #expect(try self.lines(scene).isEmpty)
    }

    @Test func `a change is written while the session runs`() async throws {
        let scene = try lastingScene()
        let session = session(scene)
        _ = try await session.data(from: scene.url("/login"))
        while (try? lines(scene))?.count != 1, !Task.isCancelled { await Task.yield() }
        #expect(try lines(scene).count == 1)
        withExtendedLifetime(session) {}
    }

    @Test func `two sessions with one file keep each other's cookies`() async throws {
        let scene = try lastingScene()
        scene.origin.route(
            "/other",
            .resource(resource).setting("Set-Cookie", "other=1; Path=/; Max-Age=\(Self.year)")
        )
        let delegates = [RecordingDelegate(), RecordingDelegate()]
        let sessions = delegates.map { session(scene, $0) }
        _ = try await sessions[0].data(from: scene.url("/login"))
        _ = try await sessions[1].data(from: scene.url("/other"))
        for session in sessions { session.finishTasksAndInvalidate() }
        for delegate in delegates { await delegate.allCalls(.invalid) }
        #expect(try lines(scene).count == 2)
    }

    @Test func `lines of another program stay, and cookies in them are sent`() async throws {
        let scene = try lastingScene()
        let theirs = [
            "other.example\tTRUE\t/\tTRUE\t0\ttoken\tabc",
            "127.0.0.1\tFALSE\t/\tFALSE\t0\tid\t7",
        ]
        try scene.folder.write("cookies.txt", theirs.joined(separator: "\n"))
        try await fetch(scene, "/file", "/brief")
        #expect(try lines(scene).map(String.init) == theirs)
    }

    @Test func `a file that cannot be read is kept, and cookies stay in memory`() async throws {
        let scene = try lastingScene()
        #expect(mkdir(scene.folder.path("cookies.txt"), 0o700) == 0)
        try await fetch(scene, "/login", "/file")
        #expect(scene.folder.list() == ["cookies.txt"])
    }
}
