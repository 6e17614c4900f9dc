import Pawl
import PawlCore
import PawlTesting
import Testing

/// The contract's rows on data tasks.
@Suite(.timeLimit(.minutes(5)))
struct DataTaskTests {
    private let resource = Resource(size: 1 << 20)
    private let huge = Resource(size: 200 << 20)

    private struct Enough: Error {}

    @Test func `dataTaskWithURL calls its completion handler`() async throws {
        let scene = try SessionScene(.resource(resource))
        let session = DownloadSession(scene.configuration)
        let results = Observed<[Result<FetchedData, DownloadError>]>([])
        let task = session.dataTask(with: try scene.url()) { result in
            results.update { $0.append(result) }
        }
        #expect(task.state == .suspended)
        #expect(scene.origin.requests.isEmpty)
        task.resume()
        let fetched = try #require(await results.wait { !$0.isEmpty }.first).get()
        #expect(fetched.bytes == resource.bytes())
        #expect(task.state == .finished)
        #expect(try await task.data.bytes == fetched.bytes)
        #expect(task.response?.status == 200)
        #expect(task.metrics.bytesReceived == resource.size)
        #expect(task.currentProgress.fraction == 1)
    }

    @Test func `the delegate gets the response, the data in pieces, and the end`() async throws {
        let scene = try SessionScene(.resource(resource))
        let delegate = RecordingDelegate()
        let session = DownloadSession(scene.configuration, delegate: delegate)
        session.dataTask(with: try scene.url()).resume()
        var calls = await delegate.allCalls()[...]
        #expect(calls.popFirst() == .answered(200))
        #expect(calls.popLast() == .completed(nil))
        guard case .metrics(let metrics) = calls.popLast() else {
            Issue.record("no metrics")
            return
        }
        #expect(metrics.bytesReceived == resource.size)
        let pieces = calls.map { call -> [UInt8] in
            if case .received(let bytes) = call { bytes } else { [] }
        }
        #expect(pieces.allSatisfy { !$0.isEmpty })
        #expect(pieces.count > 1)
        #expect(Array(pieces.joined()) == resource.bytes())
    }

    @Test func `a block and a delegate both get the data`() async throws {
        let scene = try SessionScene(.resource(resource))
        let delegate = RecordingDelegate()
        let session = DownloadSession(scene.configuration, delegate: delegate)
        let counts = Observed<[Int]>([])
        session.dataTask(with: try scene.url()) { result in
            counts.update { $0.append((try? result.get().bytes.count) ?? -1) }
        }.resume()
        let calls = await delegate.allCalls()
        let told = calls.reduce(0) {
            if case .received(let bytes) = $1 { $0 + bytes.count } else { $0 }
        }
        #expect(told == 1 << 20)
        #expect(await counts.wait { !$0.isEmpty } == [1 << 20])
    }

    @Test func `bytes arrive in pieces, with back-pressure`() async throws {
        let scene = try SessionScene(.resource(huge))
        let task = DownloadSession(scene.configuration).dataTask(with: try scene.url())
        task.resume()
        // Nobody reads yet: the first bytes arrive, and then the server waits.
        while task.currentProgress.completedBytes < 256 << 10, !Task.isCancelled {
            await Task.yield()
        }
        var seen: Int64 = 0
        for try await chunk in task.bytes {
            seen += Int64(chunk.count)
            #expect(task.currentProgress.completedBytes - seen <= 1 << 20)
            if seen > 20 << 20 { break }
        }
        await scene.origin.waitForQuiet()
        for await _ in task.progress {}
        #expect(task.error?.code == .cancelled)
    }

    @Test func `task.stream(to -) passes chunks to the caller's sink, which may end it`()
        async throws
    {
        let scene = try SessionScene(.resource(resource))
        let session = DownloadSession(scene.configuration)
        let task = session.dataTask(with: try scene.url())
        task.resume()
        var received: [UInt8] = []
        try await task.stream { received += $0 }
        #expect(received == resource.bytes())
        #expect(task.state == .finished)
        let other = session.dataTask(with: try scene.url())
        other.resume()
        await #expect(throws: Enough.self) { try await other.stream { _ in throw Enough() } }
        #expect(other.state.isEnd)
    }

    @Test func `suspend stops the bytes, and resume continues on the same connection`()
        async throws
    {
        let scene = try SessionScene(.resource(huge))
        let task = DownloadSession(scene.configuration).dataTask(with: try scene.url())
        task.resume()
        var (count, hasStood) = (0, false)
        for try await chunk in task.bytes {
            count += chunk.count
            if count > 1 << 20, !hasStood {
                hasStood = true
                task.suspend()
                #expect(task.state == .suspended)
                var bytes: [Int64] = []
                for await progress in task.progress.prefix(4) {
                    bytes.append(progress.completedBytes)
                }
                #expect(bytes.last == bytes.dropLast().last)
                task.resume()
            }
            if count > 4 << 20 { break }
        }
        #expect(scene.origin.requests.count == 1)
    }

    @Test func `a suspended task makes no progress`() async throws {
        let latch = Latch()
        let scene = try SessionScene(holding: resource, after: 1000, until: latch)
        let session = DownloadSession(scene.configuration)
        let task = session.dataTask(with: try scene.url())
        task.resume()
        await latch.waitForArrivals()
        task.suspend()
        latch.release()
        // Bytes that the transport already has may still arrive, but no others.
        var bytes: [Int64] = []
        for await progress in task.progress.prefix(5) { bytes.append(progress.completedBytes) }
        #expect(bytes.last == bytes.dropLast().last)
        #expect(bytes.last ?? 0 < resource.size)
        task.resume()
        #expect(try await task.data.bytes.count == 1 << 20)
    }

    @Test func `cancelling the awaiting task cancels the data task`() async throws {
        let scene = try SessionScene(holding: resource, after: 1000)
        let session = DownloadSession(scene.configuration)
        for inPieces in [true, false] {
            let task = session.dataTask(with: try scene.url())
            task.resume()
            let waiting = Task {
                if inPieces { for try await _ in task.bytes {} } else { _ = try await task.data }
            }
            while task.response == nil { await Task.yield() }
            waiting.cancel()
            let error = await #expect(throws: DownloadError.self) { try await waiting.value }
            #expect(error?.code == .cancelled)
            #expect(task.state == .cancelled)
        }
        await scene.origin.waitForQuiet()
    }

    @Test(arguments: [true, false])
    func `a body over the limit is a clear error`(announces: Bool) async throws {
        let reply = Reply.resource(resource)
        let scene = try SessionScene(announces ? reply : reply.chunked())
        let session = DownloadSession(scene.configuration)
        let task = session.dataTask(with: try scene.url(), limit: 100_000)
        task.resume()
        let error = await #expect(throws: DownloadError.self) { try await task.data }
        #expect(error?.code == .tooLarge)
        #expect(task.state == .failed)
    }

    @Test func `a body is read in only one way`() async throws {
        let scene = try SessionScene(.resource(resource))
        let task = DownloadSession(scene.configuration).dataTask(with: try scene.url())
        task.resume()
        var bytes: [UInt8] = []
        for try await chunk in task.bytes { bytes += chunk }
        #expect(bytes.count == 1 << 20)
        let error = await #expect(throws: DownloadError.self) { try await task.data }
        #expect(error?.code == .usage)
        await #expect(throws: DownloadError.self) { for try await _ in task.bytes {} }
        #expect(task.state == .finished)
    }

    @Test func `a data task belongs to the session and waits its turn`() async throws {
        let latch = Latch()
        let scene = try SessionScene(holding: resource, after: 1000, until: latch)
        scene.origin.route("/small", .status(200, body: "small"))
        var configuration = scene.configuration
        configuration.maximumConcurrentDownloads = 1
        let session = DownloadSession(configuration)
        let first = session.downloadTask(with: try scene.url(), to: scene.target())
        let second = session.dataTask(with: try scene.url("/small"))
        first.resume()
        await latch.waitForArrivals()
        second.resume()
        #expect(session.currentTasks.map(\.id) == [first.id, second.id])
        #expect(second.state == .waiting)
        session.finishTasksAndInvalidate()
        latch.release()
        #expect(try await second.data.string() == "small")
        _ = try await first.file
        #expect(scene.origin.requests.map(\.path) == ["/disk.bin", "/small"])
        #expect(session.currentTasks.isEmpty)
    }

    @Test func `invalidateAndCancel stops a data task, and no other starts`() async throws {
        let latch = Latch()
        let scene = try SessionScene(holding: resource, after: 1000, until: latch)
        let session = DownloadSession(scene.configuration)
        let task = session.dataTask(with: try scene.url())
        task.resume()
        await latch.waitForArrivals()
        session.invalidateAndCancel()
        let error = await #expect(throws: DownloadError.self) { try await task.data }
        #expect(error?.code == .cancelled)
        let late = session.dataTask(with: try scene.url())
        late.resume()
        let refused = await #expect(throws: DownloadError.self) { try await late.data }
        #expect(refused?.code == .usage)
        await #expect(throws: DownloadError.self) {
            try await session.data(from: try scene.url())
        }
    }

    @Test func `a status of 400 or more is an error unless it is accepted`() async throws {
        let scene = try SessionScene(.status(404, body: "none"))
        let session = DownloadSession(scene.configuration)
        let task = session.dataTask(with: try scene.url())
        task.resume()
        let error = await #expect(throws: DownloadError.self) { try await task.data }
        #expect(error?.code == .notFound)
        var request = DownloadRequest(try scene.url())
        request.acceptsErrorStatuses = true
        let other = session.dataTask(with: request)
        other.resume()
        #expect(try await other.data.string() == "none")
        #expect(other.response?.status == 404)
    }

    @Test func `a small body that nobody reads still finishes`() async throws {
        let scene = try SessionScene(.status(200, body: "small"))
        let task = DownloadSession(scene.configuration).dataTask(with: try scene.url())
        task.resume()
        while !task.state.isEnd, !Task.isCancelled { await Task.yield() }
        #expect(task.state == .finished)
        #expect(try await task.data.string() == "small")
    }

    @Test func `an answer that breaks before anybody read of it is requested again`() async throws {
        let reply = Reply.resource(resource)
        let scene = try SessionScene(.sequence([reply.afterBytes(50_000, .reset), reply]))
        let session = DownloadSession(scene.configuration)
        let task = session.dataTask(with: try scene.url()) { _ in }
        task.resume()
        #expect(try await task.data.bytes == resource.bytes())
        #expect(scene.origin.requests.count == 2)
    }

    @Test func `a data task waits for connectivity and continues when there is a route`()
        async throws
    {
        let scene = try SessionScene(.hangUp(.reset))
        let network = ScriptedNetwork(.none)
        var configuration = scene.configuration
        configuration.settings.waitsForConnectivity = true
        configuration.settings.retries = 0
        let delegate = RecordingDelegate()
        let session = DownloadSession(configuration, delegate: delegate, network: network)
        // libcurl reads this as 127.0.0.1; Pawl treats it as a name, which needs a route.
        let url = try scene.url(host: "127.1")
        let task = session.dataTask(with: url) { _ in }
        task.resume()
        await delegate.calls.wait { $0 == [.waits] }
        #expect(task.state == .waitingForConnectivity)
        scene.origin.route("/disk.bin", .resource(resource))
        network.become(.unknown)
        #expect(try await task.data.bytes == resource.bytes())
        // A waiting task can be cancelled.
        network.become(.none)
        scene.origin.route("/disk.bin", .hangUp(.reset))
        let other = session.dataTask(with: url)
        other.resume()
        while other.state != .waitingForConnectivity, !Task.isCancelled { await Task.yield() }
        other.cancel()
        let error = await #expect(throws: DownloadError.self) { try await other.data }
        #expect(error?.code == .cancelled)
    }

    @Test func `a data task does not use a forbidden metered network`() async throws {
        let scene = try SessionScene(.resource(resource))
        var metered = NetworkPath.unknown
        metered.isMetered = true
        let network = ScriptedNetwork(metered)
        var configuration = scene.configuration
        configuration.settings.allowsExpensiveNetwork = false
        let session = DownloadSession(configuration, network: network)
        let task = session.dataTask(with: try scene.url(host: "127.1"))
        task.resume()
        while task.state != .waitingForConnectivity, !Task.isCancelled { await Task.yield() }
        #expect(scene.origin.requests.isEmpty)
        metered.isMetered = false
        network.become(metered)
        #expect(try await task.data.bytes == resource.bytes())
    }
}
