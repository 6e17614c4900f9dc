import Pawl
import PawlCore
import PawlTesting
import Testing

/// The part of the rows on outliving the process that holds within one process.
@Suite("Contract: outliving the process", .timeLimit(.minutes(5)))
struct OutlivingContract {
    private let resource = Resource(size: 100_000)

    @Test("default, ephemeral, background(withIdentifier:) configurations")
    func kinds() async throws {
        let background = SessionConfiguration.background(identifier: "films")
        #expect(background.kind == .background(identifier: "films"))
        for kind in [SessionConfiguration.default, .ephemeral] {
            let left = kind.kind == .default ? ["disk.bin.part", "disk.bin.part.pawl"] : []
            try await cancelTask(of: kind, leaving: left)
        }
    }

    /// Checks which unfinished files remain after a cancelled task's session is gone.
    private func cancelTask(
        of kind: SessionConfiguration,
        leaving left: [String]
    ) async throws {
        let scene = try SessionScene(holding: resource, after: 50_000)
        weak var gone: DownloadSession?
        do {
            let session = DownloadSession(scene.configured(kind))
            gone = session
            let task = try await scene.start(in: session, reaching: 50_000)
            #expect(await task.cancelByProducingResumeData() != nil)
        }
        while gone != nil, !Task.isCancelled { await Task.yield() }
        try await scene.folder.wait { $0.list() == left }
        #expect(scene.folder.list() == left)
    }

    @Test("maximum concurrent operations, one session for many tasks, taskDescription")
    func manyTasks() async throws {
        let latch = Latch()
        let scene = try SessionScene()
        scene.origin.routeDefault(.resource(resource).holdAfterBytes(1000, until: latch))
        var configuration = scene.configuration
        configuration.maximumConcurrentDownloads = 3
        let session = DownloadSession(configuration)
        let tasks = try (0..<12).map { number in
            let task = session.downloadTask(
                with: try scene.url("/\(number)"),
                to: scene.target("\(number)")
            )
            task.taskDescription = "film \(number)"
            task.resume()
            return task
        }
        await latch.waitForArrivals(3)
        #expect(scene.origin.requests.count == 3)
        #expect(await session.allTasks.map(\.taskDescription) == (0..<12).map { "film \($0)" })
        latch.release()
        for task in tasks { #expect(try await task.file.byteCount == resource.size) }
    }

    @Test("getTasksWithCompletionHandler:")
    func allTasks() async throws {
        let scene = try SessionScene(.resource(resource))
        let session = DownloadSession(scene.configuration)
        let tasks = try (0..<3).map {
            session.downloadTask(with: try scene.url(), to: scene.target("\($0)"))
        }
        #expect(await session.allTasks.map(\.id) == tasks.map(\.id))
        tasks[1].cancel()
        tasks[0].resume()
        _ = try await tasks[0].file
        while await session.allTasks.count > 1, !Task.isCancelled { await Task.yield() }
        #expect(await session.allTasks.map(\.id) == [tasks[2].id])
    }
}
