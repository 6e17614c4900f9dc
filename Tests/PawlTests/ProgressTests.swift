import Pawl
import PawlCore
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ProgressTests {
    private let resource = Resource(size: DownloadScene.size)

    private func read(
        _ download: DownloadTask,
        _ look: (DownloadProgress) -> Void = { _ in }
    ) async -> [DownloadProgress] {
        var all: [DownloadProgress] = []
        for await progress in download.progress {
            all.append(progress)
            look(progress)
        }
        return all
    }

    @Test func `several readers see the progress grow, and each sees the end`() async throws {
        let scene = try DownloadScene()
        let (holds, latches) = ([300_000, 600_000] as [Int64], [Latch(), Latch()])
        let reply = zip(holds, latches).reduce(Reply.resource(resource)) {
            $0.holdAfterBytes($1.0, until: $1.1)
        }
        scene.origin.route("/disk.bin", reply)
        let download = scene.task(
            try scene.url(),
            to: scene.file(),
            settings: scene.fixed(1)
        )
        #expect(download.currentProgress.phase == .waiting)
        async let file = scene.session.finish(download)
        let seenBytes = Observed([Int64](repeating: 0, count: 3))
        let readers = await withTaskGroup(of: [DownloadProgress].self) { group in
            for number in 0..<3 {
                group.addTask {
                    await read(download) { progress in
                        seenBytes.update { $0[number] = progress.completedBytes }
                    }
                }
            }
            for (bytes, latch) in zip(holds, latches) {
                await seenBytes.wait { $0.allSatisfy { $0 >= bytes } }
                latch.release()
            }
            return await group.reduce(into: [[DownloadProgress]]()) { $0.append($1) }
        }
        _ = try await file
        for seen in readers {
            let bytes = seen.map(\.completedBytes)
            #expect(bytes == bytes.sorted())
            #expect(seen.last?.phase == .finished)
            #expect(seen.last?.completedBytes == DownloadScene.size)
            #expect(seen.last?.fraction == 1)
            #expect(Set(bytes).count >= 3)
            #expect(seen.count { $0.phase == .finished } == 1)
        }
        let received = readers.joined().filter { $0.phase == .receiving }
        #expect(received.contains { $0.bytesPerSecond > 0 && $0.connections == 1 })
        #expect(received.allSatisfy { $0.totalBytes == DownloadScene.size })
        #expect(received.allSatisfy { $0.name == "disk.bin" })
    }

    @Test func `progress shows what each connection fetches`() async throws {
        let scene = try DownloadScene()
        let latch = Latch()
        let reply = Reply.resource(Resource(size: 16 << 20))
        scene.origin.route("/disk.bin", reply.holdAfterBytes(100_000, until: latch))
        let download = scene.task(
            try scene.url(),
            to: scene.file(),
            settings: scene.fixed(4)
        )
        async let file = scene.session.finish(download)
        await latch.waitForArrivals(4)
        var progress = download.currentProgress
        while progress.segments.contains(where: { $0.completedBytes == 0 }) {
            await Task.yield()
            progress = download.currentProgress
        }
        #expect(progress.connections == 4)
        let ranges = progress.segments.map(\.range)
        #expect(ranges.first?.lowerBound == 0 && ranges.last?.upperBound == 16 << 20)
        #expect(zip(ranges, ranges.dropFirst()).allSatisfy { $0.upperBound == $1.lowerBound })
        #expect(progress.segments.map(\.completedBytes).reduce(0, +) == progress.completedBytes)
        latch.release()
        _ = try await file
        #expect(download.currentProgress.segments.isEmpty)
    }

    @Test func `a late reader gets only the end`() async throws {
        let scene = try DownloadScene()
        scene.origin.route("/disk.bin", .resource(resource))
        let download = scene.task(try scene.url(), to: scene.file())
        _ = try await scene.session.finish(download)
        #expect(await read(download).map(\.phase) == [.finished])
    }

    @Test func `a slow reader gets the newest progress`() async throws {
        let scene = try DownloadScene()
        let latch = Latch()
        scene.origin.route("/disk.bin", .resource(resource).holdAfterBytes(1000, until: latch))
        let download = scene.task(
            try scene.url(),
            to: scene.file(),
            settings: scene.fixed(1)
        )
        var reader = download.progress.makeAsyncIterator()
        async let file = scene.session.finish(download)
        await latch.waitForArrivals()
        #expect(await reader.next()?.phase.isEnd == false)
        latch.release()
        _ = try await file
        #expect(await reader.next()?.phase == .finished)
        #expect(await reader.next() == nil)
    }

    @Test func `a download that fails ends its readers`() async throws {
        let scene = try DownloadScene()
        scene.origin.route("/disk.bin", .status(404))
        let download = scene.task(try scene.url(), to: scene.file())
        async let seen = read(download)
        await #expect(throws: DownloadError.self) { try await scene.session.finish(download) }
        #expect(await seen.last?.phase == .failed)
    }

    @Test func `a resumed download starts with the bytes on disk`() async throws {
        let scene = try DownloadScene()
        let latch = Latch()
        let reply = Reply.resource(resource)
        scene.origin.route("/disk.bin", reply.holdAfterBytes(300_000, until: latch))
        let url = try scene.url()
        let first = scene.task(url, to: scene.file(), settings: scene.fixed(1))
        let task = Task { try await scene.session.finish(first) }
        await latch.waitForArrivals()
        await first.reaches(300_000)
        task.cancel()
        await #expect(throws: DownloadError.self) { try await task.value }

        let hold = Latch()
        scene.origin.route("/disk.bin", reply.holdAfterBytes(0, until: hold))
        let second = scene.task(
            url,
            to: scene.file(),
            settings: scene.fixed(1)
        )
        async let file = scene.session.finish(second)
        await hold.waitForArrivals()
        #expect(second.currentProgress.completedBytes == 300_000)
        #expect(second.currentProgress.totalBytes == DownloadScene.size)
        hold.release()
        _ = try await file
        #expect(second.currentProgress.completedBytes == DownloadScene.size)
    }
}

extension DownloadPhase {
    var isEnd: Bool { self == .finished || self == .failed }
}
