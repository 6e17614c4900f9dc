import Pawl
import PawlCore
import PawlLibrary
import PawlTesting
import Testing

/// The progress of several keys together.
@Suite(.timeLimit(.minutes(5)))
struct LibraryProgressTests {
    private let resource = Resource(size: 1 << 20)

    @Test func `the progress of keys ends when all of them have ended`() async throws {
        let scene = try ShelfScene()
        let small = Resource(size: 1000)
        scene.origin.route("/small.bin", .resource(small))
        scene.origin.route("/none.bin", .status(404))
        let library = try await scene.open()
        let latch = try await scene.hold(library, "disk", of: resource)
        try await library.file(for: "small", from: try scene.url("/small.bin"))
        try library.start("none", from: try scene.url("/none.bin"))
        await library.waits(for: "none") { $0?.failure != nil }
        var last: TotalProgress?
        for await progress in library.progress(of: ["disk", "small", "none", "unknown"]) {
            if last == nil {
                #expect(progress.taskCount == 4 && progress.finishedCount == 1)
                #expect(progress.failedCount == 2)
                #expect(progress.completedBytes >= 401_000)
                #expect(progress.totalBytes == resource.size + small.size)
                latch.release()
            }
            last = progress
        }
        #expect(last?.finishedCount == 2 && last?.failedCount == 2)
        #expect(last?.completedBytes == resource.size + small.size)
        #expect(last?.fraction == 1)
    }

    @Test func `a paused key counts with its bytes, and its progress ends`() async throws {
        let scene = try ShelfScene()
        let library = try await scene.open()
        _ = try await scene.hold(library, of: resource)
        library.pause("disk")
        await library.waits(for: "disk") { $0?.isPaused == true }
        var last: TotalProgress?
        for await progress in library.progress(of: ["disk"]) { last = progress }
        #expect(last?.finishedCount == 0 && last?.failedCount == 0 && last?.taskCount == 1)
        #expect(last?.completedBytes ?? 0 >= 400_000)
        #expect(last?.totalBytes == resource.size)
    }

    @Test func `a run between two reports changes the progress of a paused key`() async throws {
        let scene = try ShelfScene()
        let library = try await scene.open()
        let first = try await scene.hold(library, of: resource)
        library.pause("disk")
        await library.waits(for: "disk") { $0?.isPaused == true }
        var reader = library.progress(of: ["disk", "other"]).makeAsyncIterator()
        let second = Latch()
        // Keeps the progress from ending.
        scene.origin.route("/other.bin", .resource(resource).holdAfterBytes(1000, until: second))
        try library.start("other", from: try scene.url("/other.bin"))
        await library.reaches(1000, "other")
        let before = await reader.next()?.completedBytes ?? .max
        // Begins and ends while nobody reads.
        let third = Latch()
        scene.origin.route("/disk.bin", .resource(resource).holdAfterBytes(300_000, until: third))
        try library.start("disk", from: try scene.url())
        await library.reaches(650_000, "disk")
        library.pause("disk")
        await library.waits(for: "disk") { $0?.isPaused == true }
        let after = await reader.next()?.completedBytes ?? 0
        #expect(after - before >= 200_000, "\(before), \(after)")
        for latch in [first, second, third] { latch.release() }
    }
}
