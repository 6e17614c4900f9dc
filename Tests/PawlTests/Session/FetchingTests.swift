import struct FoundationEssentials.URL
import Pawl
import PawlCore
import PawlTesting
import Testing

/// The contract's rows on fetching small bodies with a session.
@Suite(.timeLimit(.minutes(5)))
struct FetchingTests {
    private struct Release: Decodable, Equatable {
        var name: String
    }

    @Test func `session.data(from -) fetches small bodies`() async throws {
        let scene = try SessionScene(.status(200, body: #"{"name": "first"}"#), at: "/latest.json")
        let session = DownloadSession(scene.configuration)
        let fetched = try await session.data(from: try scene.url("/latest.json"))
        #expect(try fetched.json(Release.self) == Release(name: "first"))
        #expect(try fetched.string() == #"{"name": "first"}"#)
    }

    @Test func `a limit on size gives a clear error and bounds memory`() async throws {
        let scene = try SessionScene(.resource(Resource(size: 1 << 20)))
        let session = DownloadSession(scene.configuration)
        let error = await #expect(throws: DownloadError.self) {
            try await session.data(from: try scene.url(), limit: 1000)
        }
        #expect(error?.code == .tooLarge)
    }

    @Test func `GET and POST send the caller's headers`() async throws {
        let scene = try SessionScene(.status(200, body: "thanks"), at: "/form")
        let session = DownloadSession(scene.configuration)
        var request = DownloadRequest(try scene.url("/form"))
        request.method = "POST"
        request.fields = [HTTPField(name: "X-Own", value: "yes")]
        request.body = Array("a=1".utf8)
        #expect(try await session.data(for: request).string() == "thanks")
        let asked = try #require(scene.origin.requests.first)
        #expect(asked.method == "POST")
        #expect(asked["X-Own"] == "yes")
        #expect(asked.body == Array("a=1".utf8))
        let file = try await session.download(request, to: scene.target())
        #expect(file.byteCount == 6)
        #expect(scene.origin.requests.last?["X-Own"] == "yes")
        #expect(scene.origin.requests.map(\.body) == [request.body, request.body])
        request.method = "HEAD"
        let error = await #expect(throws: DownloadError.self) {
            try await session.download(request, to: scene.target())
        }
        #expect(error?.code == .usage)
        #expect(scene.origin.requests.count == 2)
    }

    @Test func `a Range field is refused in a download, and sent for data`() async throws {
        let scene = try SessionScene(.resource(Resource(size: 1000)))
        let session = DownloadSession(scene.configuration)
        var request = DownloadRequest(try scene.url())
        request.setValue("bytes=0-9", forHTTPHeaderField: "range")
        let error = await #expect(throws: DownloadError.self) {
            try await session.download(request, to: scene.target())
        }
        #expect(error?.code == .usage)
        #expect(error?.message.contains("`Range`") == true)
        #expect(error?.advice.contains("`range`") == true)
        #expect(scene.origin.requests.isEmpty)
        let fetched = try await session.data(for: request)
        #expect(fetched.response.status == 206 && fetched.bytes.count == 10)
    }

    @Test func `a pinned key that is not a digest fails before a request is sent`() async throws {
        let scene = try SessionScene(.status(200, body: "never"))
        var configuration = scene.configuration
        configuration.settings.connection.pinnedPublicKeys = ["sha256//abc"]
        let session = DownloadSession(configuration)
        let url = try scene.url()
        let errors = [
            await #expect(throws: DownloadError.self) { try await session.data(from: url) },
            await #expect(throws: DownloadError.self) { try await session.bytes(from: url) },
            await #expect(throws: DownloadError.self) { try await session.inspect(url) },
            await #expect(throws: DownloadError.self) {
                try await session.download(url, to: scene.target())
            },
        ]
        #expect(errors.map { $0?.code } == [.usage, .usage, .usage, .usage])
        #expect(errors.allSatisfy { $0?.message.contains("pinned key") == true })
        #expect(scene.origin.requests.isEmpty)
    }

    @Test func `a stream outlives its session`() async throws {
        let resource = Resource(size: 1 << 20)
        let scene = try SessionScene(.resource(resource))
        let stream = try await DownloadSession(scene.configuration).bytes(from: try scene.url())
        var bytes: [UInt8] = []
        for try await chunk in stream { bytes += chunk }
        #expect(bytes == resource.bytes())
    }
}
