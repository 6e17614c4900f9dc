import Pawl
import PawlTesting
import Testing

/// Cookies that servers set, from one task to the next.
@Suite(.timeLimit(.minutes(1)))
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
        let first = session.downloadTask(with: try scene.url("/login"), to: scene.place("a"))
        first.resume()
        #expect(try resource.verify(fileAt: await first.file.path) == nil)
        let second = session.downloadTask(with: try scene.url("/file"), to: scene.place("b"))
        second.resume()
        #expect(try resource.verify(fileAt: await second.file.path) == nil)
        let fetched = try await session.data(from: scene.url("/file"))
        #expect(fetched.response.status == 200)
    }

    @Test func `another session has no cookies, and one that keeps none sends none`() async throws {
        let scene = try scene()
        let first = DownloadSession(scene.configuration)
        let task = first.downloadTask(with: try scene.url("/login"), to: scene.place("a"))
        task.resume()
        _ = try await task.file
        let other = DownloadSession(scene.configuration)
        let guest = other.downloadTask(with: try scene.url("/file"), to: scene.place("b"))
        guest.resume()
        await #expect(throws: DownloadError.self) { try await guest.file }

        var configuration = scene.configuration
        configuration.keepsCookies = false
        let without = DownloadSession(configuration)
        let refused = without.downloadTask(with: try scene.url("/login"), to: scene.place("c"))
        refused.resume()
        await #expect(throws: DownloadError.self) { try await refused.file }
    }
}
