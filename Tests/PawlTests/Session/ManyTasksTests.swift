import Pawl
import PawlCore
import PawlTesting
import Testing

/// Many tasks in one session.
///
/// `scripts/bench session-tasks` measures their cost.
@Suite(.timeLimit(.minutes(5)))
struct ManyTasksTests {
    @Test func `10,000 tasks are started and cancelled in seconds`() async throws {
        let scene = try SessionScene(
            .resource(Resource(size: 1000)).holdAfterBytes(1, until: Latch())
        )
        let session = DownloadSession(scene.configuration)
        let url = try scene.url()
        let began = ThreadTime.now()
        let tasks = (0..<10_000).map { session.downloadTask(with: url, to: scene.target("\($0)")) }
        for task in tasks { task.resume() }
        // Of CPU time, because the machine may be busy. A release build takes a twentieth of that.
        #expect(ThreadTime.now() - began < .seconds(10))
        #expect(session.currentTasks.count == 10_000)
        session.invalidateAndCancel()
        for task in tasks {
            let error = await #expect(throws: DownloadError.self) { try await task.file }
            #expect(error?.code == .cancelled)
        }
        #expect(session.currentTasks.isEmpty)
        #expect(scene.folder.list().isEmpty)
    }

    @Test func `no task starves: each starts once the tasks before it have started`() async throws {
        let scene = try SessionScene()
        scene.origin.routeDefault(.resource(Resource(size: 20_000)))
        var configuration = scene.configuration
        let atATime = 8
        configuration.maximumConcurrentDownloads = atATime
        let session = DownloadSession(configuration)
        let tasks = try (0..<200).map { number in
            session.downloadTask(with: try scene.url("/\(number)"), to: scene.target("\(number)"))
        }
        let seen = try await withThrowingTaskGroup(of: DownloadProgress?.self) { group in
            for task in tasks {
                group.addTask {
                    var last: DownloadProgress?
                    for await progress in task.progress { last = progress }
                    return last
                }
            }
            for task in tasks { task.resume() }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(seen.count == tasks.count)
        #expect(seen.allSatisfy { $0?.completedBytes == 20_000 })
        #expect(tasks.allSatisfy { $0.state == .finished })
        let order = scene.origin.requests.compactMap { Int($0.path.dropFirst()) }
        #expect(order.count == tasks.count)
        for (index, number) in order.enumerated() { #expect(number <= index + atATime) }
    }
}
