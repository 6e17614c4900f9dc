import Glibc
import Pawl
import PawlTesting
import Testing

/// The threads of a process serve all of its sessions.
@Suite(.timeLimit(.minutes(5)))
struct SessionThreadTests {
    private let resource = Resource(size: 300_000)

    /// Waits until a process with 30 sessions has less than 20 threads, and returns the number that
    /// it had before.
    private func threads(_ scene: SessionScene, after bytes: Int64) async throws -> Int {
        let process = try ProcessRunner(
            BuiltProduct.path("SessionProbe"),
            ["threads", scene.folder.path, origin(scene), "\(bytes)", "\(mostAtRest)"]
        )
        #expect(await process.waitForOutput(containing: "."), "\(process.output)")
        let number = process.output.split(separator: " ").last.map { $0.filter(\.isNumber) }
        process.signal(SIGKILL)
        await process.waitForExit()
        return try #require(number.flatMap { Int($0) })
    }

    private func origin(_ scene: SessionScene) -> String { scene.origin.url("/disk.bin") }

    private var processors: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

    /// The threads of pools and loops, Swift's own, and the main thread.
    ///
    /// Swift and the loops have one thread per processor.
    private var most: Int { 15 + min(4, processors) + processors }

    /// The maximum number of threads when no file is synced: of more than four processors, Swift has
    /// more threads.
    private var mostAtRest: Int { max(19, 15 + processors) }

    @Test func `thirty sessions with finished downloads have few threads`() async throws {
        let scene = try SessionScene(.resource(resource))
        let count = try await threads(scene, after: 0)
        #expect(count <= most, "\(count)")
    }

    @Test func `thirty sessions with running downloads have few threads`() async throws {
        let latch = Latch()
        let scene = try SessionScene(holding: resource, after: 200_000, until: latch)
        let count = try await threads(scene, after: 200_000)
        #expect(count <= most, "\(count)")
        latch.release()
    }
}
