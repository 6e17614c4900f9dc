import Foundation
import Pawl
import PawlTesting
import Testing

/// The response of the server arrives with the file.
@Suite(.timeLimit(.minutes(5)))
struct FileResponseTests {
    private let resource = Resource(size: 300_000)

    private func scene() throws -> SessionScene {
        try SessionScene(Reply.resource(resource).setting("X-Build", "17"))
    }

    @Test func `a downloaded file has the response, which is not encoded`() async throws {
        let scene = try scene()
        let session = DownloadSession(scene.configuration)
        let url = try scene.url()
        let file = try await session.download(url, to: scene.target())
        #expect(file.response?.status == 200)
        #expect(file.response?.url == url)
        #expect(file.response?.value("X-Build") == "17")
        let form = try JSONEncoder().encode(file)
        #expect(!String(decoding: form, as: UTF8.self).contains("X-Build"))
        let decoded = try JSONDecoder().decode(DownloadedFile.self, from: form)
        #expect(decoded.path == file.path && decoded.response == nil)
    }

    @Test func `so have the file of a task, its handler, its delegate and its events`()
        async throws
    {
        let scene = try scene()
        let reported = Observed<[Int?]>([])
        let delegate = RecordingDelegate { file in
            reported.update { $0.append(file.response?.status) }
        }
        let session = DownloadSession(scene.configuration, delegate: delegate)
        let handled = Observed<[String?]>([])
        let task = session.downloadTask(with: try scene.url(), to: scene.target()) { result in
            handled.update { $0.append(try? result.get().response?.value("X-Build")) }
        }
        let events = task.events
        task.resume()
        #expect(try await task.file.response?.value("X-Build") == "17")
        var ended: DownloadedFile?
        for await event in events { if case .finished(let file) = event { ended = file } }
        #expect(ended?.response?.value("X-Build") == "17")
        await delegate.allCalls()
        #expect(reported.value == [200])
        #expect(handled.value == ["17"])
    }

    @Test func `a resumed file has the response to its last part`() async throws {
        let scene = try SessionScene(holding: resource, after: 200_000)
        let session = DownloadSession(scene.configuration)
        let task = try await scene.start(in: session, reaching: 200_000)
        let data = try #require(await task.cancelByProducingResumeData())
        scene.origin.route("/disk.bin", .resource(resource))
        let file = try await session.download(resuming: data)
        #expect(file.response?.status == 206)
        #expect(try resource.verify(fileAt: file.path) == nil)
    }
}
