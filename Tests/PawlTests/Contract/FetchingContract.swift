import FoundationEssentials
import Glibc
import Pawl
import PawlCore
import PawlTesting
import Synchronization
import Testing

@Suite("Contract: fetching", .timeLimit(.minutes(5)))
struct FetchingContract {
    private let resource = Resource(size: 1 << 20)
    private let huge = Resource(size: 200 << 20)

    @Test("dataWithContentsOfURL, sendAsynchronousRequest, dataTaskWithURL:completionHandler:")
    func smallThings() async throws {
        let scene = try SessionScene(.resource(resource))
        let session = DownloadSession(scene.configuration)
        #expect(try await session.data(from: try scene.url()).bytes == resource.bytes())
        #expect(FetchedData.defaultLimit == 64 << 20)
        scene.origin.route("/disk.bin", .resource(huge))
        let error = await #expect(throws: DownloadError.self) {
            try await session.data(from: try scene.url())
        }
        #expect(error?.code == .tooLarge)
    }

    @Test("GET, POST with custom headers")
    func ownRequests() async throws {
        let scene = try SessionScene(.status(200, body: "thanks"), at: "/form")
        var request = DownloadRequest(try scene.url("/form"))
        request.method = "POST"
        request.fields = [HTTPField(name: "X-Own", value: "yes")]
        request.body = Array("a=1".utf8)
        let session = DownloadSession(scene.configuration)
        #expect(try await session.data(for: request).string() == "thanks")
        let asked = try #require(scene.origin.requests.first)
        #expect(asked.method == "POST" && asked["X-Own"] == "yes")
        #expect(asked.body == Array("a=1".utf8))
        _ = try await session.data(from: try scene.url("/form"))
        #expect(scene.origin.requests.last?.method == "GET")
    }

    @Test("Accept-Encoding: compressed responses")
    func compressedResponses() async throws {
        let compressed: [UInt8] = [
            0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 2, 3, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0xD7, 0x51, 0xC8,
            0xC0, 0xA4, 0, 0x55, 0xA3, 0x82, 0x77, 0x1A, 0, 0, 0,
        ]
        let reply = Reply.resource(Resource(bytes: compressed)).contentEncoding("gzip")
        let scene = try SessionScene(reply)
        let session = DownloadSession(scene.configuration)
        let text = "hello, hello, hello, hello"
        #expect(try await session.data(from: try scene.url()).string() == text)
        var request = DownloadRequest(try scene.url())
        request.decodesContent = false
        #expect(try await session.data(for: request).bytes == compressed)
        let file = try await session.download(try scene.url(), to: scene.target())
        #expect(file.byteCount == Int64(compressed.count))
        #expect(scene.origin.requests.last?["Accept-Encoding"] == "identity")
    }

    @Test("NSString initWithData:encoding:, textEncodingName")
    func encodings() async throws {
        let reply = Reply.resource(Resource(bytes: [0xD6, 0xD0, 0xCE, 0xC4]))
            .setting("Content-Type", "text/plain; charset=gb2312")
        let scene = try SessionScene(reply)
        let fetched = try await DownloadSession(scene.configuration).data(from: try scene.url())
        #expect(fetched.response.textEncodingName == "gb2312")
        #expect(try fetched.string() == "中文")
        #expect(try fetched.string(encoding: .shiftJIS) == "ﾖﾐﾎﾄ")
    }

    @Test("NSURLConnection delegate: response, data (many times), finish, fail")
    func fourMoments() async throws {
        let scene = try SessionScene(.resource(resource))
        let session = DownloadSession(scene.configuration)
        let whole = try await session.bytes(from: try scene.url())
        #expect(whole.response.status == 200)
        var chunks: [[UInt8]] = []
        for try await chunk in whole { chunks.append(chunk) }
        #expect(chunks.count > 1 && chunks.allSatisfy { !$0.isEmpty })
        #expect(Array(chunks.joined()) == resource.bytes())
        // The same four moments, of a task.
        let task = session.dataTask(with: try scene.url())
        task.resume()
        chunks = []
        for try await chunk in task.bytes { chunks.append(chunk) }
        #expect(task.response?.status == 200 && task.state == .finished)
        #expect(chunks.count > 1 && Array(chunks.joined()) == resource.bytes())

        scene.origin.route("/disk.bin", .resource(resource).afterBytes(100_000, .close))
        let broken = try await session.bytes(from: try scene.url())
        let error = await #expect(throws: DownloadError.self) { for try await _ in broken {} }
        #expect(error?.code == .network)
        // A transfer that breaks before any byte of it was read would be retried.
        let request = DownloadRequest(try scene.url()) { $0.retries = 0 }
        let other = session.dataTask(with: request)
        other.resume()
        await #expect(throws: DownloadError.self) { for try await _ in other.bytes {} }
        #expect(other.error?.code == .network)
    }

    @Test("A task does not start until resume()")
    func startsOnResume() async throws {
        let scene = try SessionScene(.resource(resource))
        let session = DownloadSession(scene.configuration)
        let task = session.downloadTask(with: try scene.url(), to: scene.target())
        // A task that is resumed later finishes first, so this one would have finished, too.
        _ = try await session.download(try scene.url(), to: scene.target("other"))
        #expect(task.state == .suspended)
        #expect(scene.folder.list() == ["other"])
        #expect(scene.origin.requests.count == 1)
        task.resume()
        #expect(try await task.file.byteCount == resource.size)
    }

    @Test("Large file in an NSMutableData: memory explodes")
    func memoryStaysSmall() async throws {
        let scene = try SessionScene(.resource(huge))
        let session = DownloadSession(scene.configuration)
        let stream = try await session.bytes(from: try scene.url())
        var (count, most) = (Int64(0), Int64(0))
        for try await chunk in stream {
            count += Int64(chunk.count)
            most = max(most, stream.receivedBytes - count)
            if count > 8 << 20 { break }
        }
        #expect(most <= 256 << 10)
        // A download to a file buffers nothing either: only what the sockets hold is in flight.
        let latch = Latch()
        scene.origin.route("/disk.bin", .resource(huge).holdAfterBytes(30 << 20, until: latch))
        let task = try await scene.start(in: session, reaching: 30 << 20)
        #expect(task.currentProgress.completedBytes == 30 << 20)
        task.cancel()
    }

    @Test("NSFileHandle (seek to end, write) or NSOutputStream(append:)")
    func ownSink() async throws {
        let scene = try SessionScene(.resource(resource))
        let session = DownloadSession(scene.configuration)
        let path = try scene.folder.write("sink", [])
        let file = open(path, O_WRONLY | O_APPEND)
        defer { close(file) }
        try await session.bytes(from: try scene.url()).stream { chunk in
            #expect(write(file, chunk, chunk.count) == chunk.count)
        }
        #expect(try resource.verify(fileAt: path) == nil)
        #expect(ftruncate(file, 0) == 0)
        let task = session.dataTask(with: try scene.url())
        task.resume()
        try await task.stream { #expect(write(file, $0, $0.count) == $0.count) }
        #expect(try resource.verify(fileAt: path) == nil)
    }

    @Test("downloadTask with completion handler: file at a temporary location")
    func completionHandler() async throws {
        let scene = try SessionScene(.resource(resource))
        let session = DownloadSession(scene.configuration)
        let moved = scene.folder.path("moved")
        for target in [moved, ""] {
            let found = Observed("")
            let task = session.downloadTask(with: try scene.url()) { result in
                guard let path = try? result.get().path else { return }
                if !target.isEmpty { rename(path, target) }
                found.update { $0 = path }
            }
            task.resume()
            let path = await found.wait { !$0.isEmpty }
            #expect(!path.hasPrefix(scene.folder.path))
            try await ScratchFolder.wait(untilGone: path)
            #expect(access(path, F_OK) != 0)
        }
        #expect(try resource.verify(fileAt: moved) == nil)
    }

    @Test("downloadTask: the destination is chosen by a closure that sees the response")
    func chosenDestination() async throws {
        let scene = try SessionScene(.resource(resource))
        let session = DownloadSession(scene.configuration)
        let folder = scene.folder.path("by-status")
        let file = try await session.download(
            try scene.url(),
            to: .choosing { .file("\(folder)/\($0.status)") }
        )
        #expect(file.path == folder + "/200")
        #expect(try resource.verify(fileAt: file.path) == nil)
    }

    @Test("downloadTask: a failed move keeps the file and says where")
    func failedMove() async throws {
        let scene = try SessionScene(.resource(resource))
        let session = DownloadSession(scene.configuration)
        let file = try await session.download(try scene.url(), to: scene.target())
        let blocked = try scene.folder.write("blocked", [1]) + "/inside"
        let error = await #expect(throws: DownloadError.self) {
            try await Places().moveFile(at: file.path, to: blocked)
        }
        #expect(error.map { "\($0)".contains(file.path) } == true, "\(String(describing: error))")
        #expect(try resource.verify(fileAt: file.path) == nil)
    }

    @Test(
        "suggestedFilename",
        arguments: [
            (#"attachment; filename="a b.iso""#, "a b.iso"),
            ("attachment; filename=x.iso; filename*=UTF-8''%e2%82%ac.iso", "€.iso"),
            (#"attachment; filename="../../etc/passwd""#, "passwd"), ("inline", "disk.bin"),
        ]
    )
    func suggestedFilename(disposition: String, name: String) async throws {
        let scene = try SessionScene(
            .resource(resource).setting("Content-Disposition", disposition)
        )
        let session = DownloadSession(scene.configuration)
        let task = session.downloadTask(with: try scene.url(), to: .directory(scene.folder.path))
        task.resume()
        #expect(try await task.file.path == scene.folder.path(name))
        #expect(task.response?.suggestedFilename == name)
    }

    @Test("expectedContentLength, total of 206 is the rest, not the whole")
    func totals() async throws {
        let scene = try SessionScene(holding: resource)
        let session = DownloadSession(scene.configuration)
        let task = try await scene.start(in: session, reaching: 400_000)
        await task.pause()
        await scene.origin.waitForQuiet()
        scene.origin.route("/disk.bin", .resource(resource))
        task.resume()
        for await progress in task.progress { #expect(progress.totalBytes == resource.size) }
        #expect(scene.origin.requests.last?.status == 206)
        #expect(task.response?.expectedContentLength == resource.size)

        // The same for a task whose only answer is a 206.
        scene.origin.route("/rest", .resource(resource).holdAfterBytes(400_000, until: Latch()))
        let first = session.downloadTask(with: try scene.url("/rest"), to: scene.target("rest"))
        first.resume()
        await waitForBytes(400_000, of: first)
        let data = try #require(await first.cancelByProducingResumeData())
        await scene.origin.waitForQuiet()
        scene.origin.route("/rest", .resource(resource))
        let rest = try session.downloadTask(withResumeData: data)
        rest.resume()
        _ = try await rest.file
        #expect(rest.response?.status == 206)
        #expect(rest.response?.expectedContentLength == resource.size)
        #expect(rest.currentProgress.totalBytes == resource.size)

        let latch = Latch()
        scene.origin.route(
            "/unknown",
            .resource(resource).chunked().holdAfterBytes(400_000, until: latch)
        )
        let unknown = session.downloadTask(with: try scene.url("/unknown"), to: scene.target("b"))
        unknown.resume()
        await waitForBytes(400_000, of: unknown)
        #expect(unknown.response?.expectedContentLength == nil)
        #expect(unknown.currentProgress.totalBytes == nil)
        #expect(unknown.currentProgress.fraction == nil)
        latch.release()
        _ = try await unknown.file
    }

    @Test("Already finished?")
    func alreadyFinished() async throws {
        let scene = try SessionScene(.resource(resource))
        let session = DownloadSession(scene.configuration)
        let first = try await session.download(try scene.url(), to: scene.target())
        #expect(!first.wasAlreadyThere)
        let digest = try #require(resource.digest(.sha256))
        // A download that waited for a byte of the body would wait forever.
        scene.origin.route("/disk.bin", .resource(resource).holdAfterBytes(0, until: Latch()))
        let again = try await session.download(
            try scene.url(),
            to: scene.target(),
            adjusting: { $0.checksum = .digest(digest) }
        )
        #expect(again.wasAlreadyThere)
        #expect(scene.origin.requests.count == 2)
        let skipped = try await session.download(
            try scene.url(),
            to: scene.target(),
            adjusting: { $0.ifExists = .skip }
        )
        #expect(skipped.wasAlreadyThere)
        #expect(scene.origin.requests.count == 2)
        #expect(scene.folder.list() == ["disk.bin"])
    }
}
