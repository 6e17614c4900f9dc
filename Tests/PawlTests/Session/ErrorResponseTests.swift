import Pawl
import PawlCore
import PawlTesting
import Testing

/// The responses with which servers refuse requests.
@Suite(.timeLimit(.minutes(5)))
struct ErrorResponseTests {
    @Test(arguments: [404, 403, 503])
    func `a refusal whose body never begins is reported as what it is`(status: Int) async throws {
        let reply = Reply.status(status, body: String(repeating: "x", count: 1000))
        let scene = try SessionScene(reply.holdAfterBytes(0, until: Latch()))
        var configuration = scene.configuration
        configuration.settings.retries = 0
        let session = DownloadSession(configuration)
        let error = await #expect(throws: DownloadError.self) {
            try await session.data(from: scene.url())
        }
        #expect(error?.httpStatus == status)
        #expect(error?.errorResponse?.isWhole == false)
        #expect(error?.errorResponse?.content.bytes == [])
    }

    private func fail(_ scene: SessionScene) async throws -> (DownloadTask, DownloadError) {
        var configuration = scene.configuration
        configuration.settings.retries = 0
        let session = DownloadSession(configuration)
        let task = session.downloadTask(with: try scene.url(), to: scene.target())
        task.resume()
        let error = await #expect(throws: DownloadError.self) { try await task.file }
        return (task, try #require(error))
    }

    @Test func `a failed download has the response and its body`() async throws {
        let scene = try SessionScene(.status(404, body: #"{"reason": "gone since May"}"#))
        let (task, error) = try await fail(scene)
        let refusal = try #require(error.errorResponse)
        #expect(String(decoding: refusal.body, as: UTF8.self) == #"{"reason": "gone since May"}"#)
        #expect(refusal.isWhole)
        #expect(refusal.response.status == 404)
        #expect(error.httpStatus == 404)
        #expect(task.response?.status == 404)
    }

    @Test func `a redirect that is not followed is in the error of every kind of request`()
        async throws
    {
        let scene = try SessionScene(.redirect(to: "/elsewhere", status: 308))
        var configuration = scene.configuration
        configuration.settings.maximumRedirects = 0
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
        for error in errors {
            #expect(error?.code == .redirectRefused)
            let response = error?.errorResponse?.response
            #expect(response?.status == 308)
            #expect(response?.value("Location") == "/elsewhere")
        }
        #expect(scene.origin.requests(to: "/elsewhere").isEmpty)
    }

    @Test func `of a long body, the first 64 KiB are kept`() async throws {
        let scene = try SessionScene(
            .status(500, body: String(repeating: "x", count: 200_000))
        )
        let (_, error) = try await fail(scene)
        let refusal = try #require(error.errorResponse)
        #expect(refusal.body.count == ErrorResponse.mostBodyBytes)
        #expect(!refusal.isWhole)
    }

    @Test func `a body whose length is impossible is not whole`() async throws {
        let head = "HTTP/1.1 404 Not Found\r\nContent-Length: 9223372036854775808\r\n\r\n"
        let (_, error) = try await fail(try SessionScene(.raw(head + "gone")))
        #expect(error.errorResponse?.isWhole != true)
        #expect(error.httpStatus == 404)
    }

    @Test func `a body that never arrives delays the error for a moment only`() async throws {
        // A stall takes 30 s.
        let elapsed = try await leastSeconds(under: 20) {
            let scene = try SessionScene(
                .status(403, body: "forbidden").holdAfterBytes(4, until: Latch())
            )
            let (_, error) = try await fail(scene)
            #expect(error.httpStatus == 403)
            let refusal = try #require(error.errorResponse)
            #expect(String(decoding: refusal.body, as: UTF8.self) == "forb")
            #expect(!refusal.isWhole)
        }
        #expect(elapsed < 20)
    }

    @Test func `after a retry, the response is that of the file`() async throws {
        let resource = Resource(size: 100_000)
        let scene = try SessionScene(
            .sequence([.status(503, body: "later"), .resource(resource)])
        )
        let session = DownloadSession(scene.configuration)
        let task = session.downloadTask(with: try scene.url(), to: scene.target())
        task.resume()
        #expect(try resource.verify(fileAt: try await task.file.path) == nil)
        #expect(task.response?.status == 200)
        #expect(task.error == nil)
    }

    @Test func `a failed data task has the response and its body`() async throws {
        let scene = try SessionScene(.status(410, body: "gone"))
        let session = DownloadSession(scene.configuration)
        let task = session.dataTask(with: try scene.url())
        task.resume()
        let thrown = await #expect(throws: DownloadError.self) { try await task.data }
        let refusal = try #require(thrown?.errorResponse)
        #expect(String(decoding: refusal.body, as: UTF8.self) == "gone")
        #expect(refusal.isWhole)
        #expect(task.response?.status == 410)
    }

    @Test func `an error of another kind has no response`() async throws {
        let scene = try SessionScene(.resource(Resource(size: 1000)))
        let session = DownloadSession(scene.configuration)
        let task = session.downloadTask(with: try scene.url(), to: scene.target())
        task.cancel()
        let error = await #expect(throws: DownloadError.self) { try await task.file }
        #expect(error?.errorResponse == nil)
    }
}
