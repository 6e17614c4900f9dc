import Pawl
import PawlCore
import PawlTesting
import Testing

/// Two of everything within one process: tasks with one destination, sessions of one kind.
@Suite(.timeLimit(.minutes(5)))
struct TwoTasksTests {
    private let resource = Resource(size: 1 << 20)

    @Test func `of two tasks for one file, the second finds what the first finished`()
        async throws
    {
        let latch = Latch()
        let scene = try SessionScene(holding: resource, until: latch)
        let session = DownloadSession(scene.configuration)
        let tasks = try (0..<2).map { _ in
            session.downloadTask(with: try scene.url(), to: scene.target())
        }
        for task in tasks { task.resume() }
        // A task whose request is late finds the checkpoint of the other, and ends.
        while latch.arrivalCount < 2, !tasks.contains(where: { $0.state.isEnd }) {
            try Task.checkCancellation()
            await Task.yield()
        }
        latch.release()
        var finished = 0
        for task in tasks {
            do throws(DownloadError) {
                #expect(try await task.file.path == scene.folder.path("disk.bin"))
                finished += 1
            } catch {
                // The first task had a checkpoint before the second had checked.
                #expect(error.code == .alreadyRunning)
            }
        }
        #expect(finished > 0)
        #expect(scene.folder.list() == ["disk.bin"])
        #expect(try resource.verify(fileAt: scene.folder.path("disk.bin")) == nil)
    }

    @Test func `a second task whose answer is late fetches nothing again`() async throws {
        let latch = Latch()
        let scene = try SessionScene(holding: resource, after: 0, until: latch)
        let session = DownloadSession(scene.configuration)
        let second = session.downloadTask(with: try scene.url(), to: scene.target())
        second.resume()
        await latch.waitForArrivals()
        scene.origin.route("/disk.bin", .resource(resource))
        let first = session.downloadTask(with: try scene.url(), to: scene.target())
        first.resume()
        _ = try await first.file
        latch.release()
        let file = try await second.file
        #expect(file.wasAlreadyThere)
        #expect(file.path == scene.folder.path("disk.bin"))
        #expect(scene.folder.list() == ["disk.bin"])
    }

    @Test(arguments: [false, true])
    func `two sessions with one temporary folder do not interfere`(isEphemeral: Bool) async throws {
        let latch = Latch()
        let scene = try SessionScene(holding: resource, until: latch)
        let configuration = scene.configured(isEphemeral ? .ephemeral : .default)
        let sessions = [DownloadSession(configuration), DownloadSession(configuration)]
        let tasks = try sessions.map { $0.downloadTask(with: try scene.url()) }
        for task in tasks { task.resume() }
        await latch.waitForArrivals(2)
        latch.release()
        let paths = [try await tasks[0].file.path, try await tasks[1].file.path]
        #expect(Set(paths).count == 2)
        for path in paths { #expect(try resource.verify(fileAt: path) == nil) }
        withExtendedLifetime(sessions) {}
    }
}
