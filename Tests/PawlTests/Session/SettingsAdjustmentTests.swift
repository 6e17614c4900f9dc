import struct FoundationEssentials.URL
import Pawl
import PawlCore
import PawlTesting
import Testing

/// The settings of a request change those of its session, and replace none that they do not name.
@Suite(.timeLimit(.minutes(5)))
struct SettingsAdjustmentTests {
    private let resource = Resource(size: 50_000)

    private var reply: Reply {
        .resource(resource).requireBasic(name: "anna", password: "secret")
    }

    /// A session whose requests carry a user agent, two fields and credentials.
    private func makeSession(_ scene: SessionScene) -> DownloadSession {
        var configuration = scene.configuration
        configuration.settings.connection.userAgent = "player/1"
        configuration.settings.credentials = Credentials(name: "anna", password: "secret")
        configuration.settings.fields = [
            HTTPField(name: "X-App", value: "7"), HTTPField(name: "Accept", value: "*/*"),
        ]
        return DownloadSession(configuration)
    }

    private func expectUsual(_ request: RecordedRequest?) throws {
        let request = try #require(request)
        #expect(request["User-Agent"] == "player/1")
        #expect(request["Authorization"]?.hasPrefix("Basic ") == true)
        #expect(request["X-App"] == "7")
    }

    @Test func `what a request does not change comes from the session`() async throws {
        let scene = try SessionScene(reply)
        let session = makeSession(scene)
        let file = try await session.download(try scene.url(), to: scene.target()) { settings in
            settings.checksum = .none
            settings.fields.append(HTTPField(name: "X-More", value: "1"))
        }
        #expect(try resource.verify(fileAt: file.path) == nil)
        #expect(file.verifiedDigest == nil)
        try expectUsual(scene.origin.requests.last)
        #expect(scene.origin.requests.last?["X-More"] == "1")
    }

    @Test func `each kind of request keeps the session's settings`() async throws {
        let scene = try SessionScene(reply)
        let session = makeSession(scene)
        let request = DownloadRequest(try scene.url()) { $0.retries = 0 }
        _ = try await session.data(for: request)
        try expectUsual(scene.origin.requests.last)
        for try await _ in try await session.bytes(for: request) {}
        try expectUsual(scene.origin.requests.last)
        _ = try await session.inspect(try scene.url()) { $0.retries = 0 }
        try expectUsual(scene.origin.requests.last)
    }

    @Test func `resuming keeps the session's settings`() async throws {
        let latch = Latch()
        let scene = try SessionScene(reply.holdAfterBytes(20_000, until: latch))
        let session = makeSession(scene)
        let task = session.downloadTask(with: try scene.url(), to: scene.target())
        task.resume()
        await task.reaches(20_000)
        let data = try #require(await task.cancelByProducingResumeData())
        scene.origin.route("/disk.bin", reply)
        var resume = ResumeSettings()
        resume.adjust { $0.retries = 1 }
        let file = try await session.download(resuming: data, resume)
        #expect(try resource.verify(fileAt: file.path) == nil)
        try expectUsual(scene.origin.requests.last)
    }

    @Test func `changes are applied in order, and can be inspected`() throws {
        var usual = DownloadSettings()
        usual.limitBytesPerSecond = 1_000
        usual.stallTimeout = .seconds(5)
        var request = DownloadRequest(try #require(URL(string: "http://host/a"))) {
            $0.retries = 1
        }
        request.adjust { $0.retries += 1 }
        request.adjust { $0.limitBytesPerSecond = nil }
        let settings = request.settings(over: usual)
        #expect(settings.retries == 2)
        #expect(settings.limitBytesPerSecond == nil)
        #expect(settings.stallTimeout == .seconds(5))
    }

    @Test func `a field of a request replaces the session's field of that name`() async throws {
        let scene = try SessionScene(reply)
        let session = makeSession(scene)
        var request = DownloadRequest(try scene.url())
        request.fields = [HTTPField(name: "accept", value: "text/plain")]
        _ = try await session.data(for: request)
        #expect(scene.origin.requests.last?["Accept"] == "text/plain")
        try expectUsual(scene.origin.requests.last)
    }

    @Test func `a task evaluates the changes once`() async throws {
        let scene = try SessionScene(.resource(resource))
        let session = DownloadSession(scene.configuration)
        let count = Observed(0)
        let request = DownloadRequest(try scene.url()) { _ in count.update { $0 += 1 } }
        let task = session.downloadTask(with: request, to: scene.target())
        #expect(count.value == 1)
        task.resume()
        _ = try await task.file
        #expect(count.value == 1)
    }
}
