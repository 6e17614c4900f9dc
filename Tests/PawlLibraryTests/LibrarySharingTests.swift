import Glibc
import Pawl
import PawlCore
import PawlLibrary
import PawlTesting
import Testing

/// Contract: "`DownloadLibrary`, as many as you like".
@Suite(.timeLimit(.minutes(5)))
struct LibrarySharingTests {
    private let resource = Resource(size: 1 << 20)

    @Test func `two libraries over one folder see each other's files`() async throws {
        let scene = try ShelfScene(.resource(resource))
        let (one, two) = (try await scene.open(), try await scene.open())
        let events = two.events
        let file = try await one.file(for: "disk", from: try scene.url())
        await two.waits(for: "disk") { $0?.isFinished == true }
        #expect(try await two.file(for: "disk") == file)
        #expect(scene.origin.requests.count == 1)
        #expect(try await one.delete("disk"))
        let gone = await events.first { if case .fileRemoved(_, let key) = $0 { key } else { nil } }
        #expect(gone == "disk")
        #expect(two.entry(for: "disk") == nil)
        #expect(scene.folder.list() == [])
    }

    @Test func `a key that another library is fetching is refused, then available`() async throws {
        let scene = try ShelfScene()
        let (one, two) = (try await scene.open(), try await scene.open())
        let latch = try await scene.hold(one, of: resource)
        let error = await #expect(throws: DownloadError.self) {
            try await two.file(for: "disk", from: try scene.url())
        }
        #expect(error?.code == .alreadyRunning)
        #expect(error?.message.contains("another library of this process") == true)
        guard case .runningElsewhere(let process) = two.entry(for: "disk")?.state else {
            Issue.record("\(String(describing: two.entry(for: "disk")?.state))")
            return
        }
        #expect(process == getpid())
        let cancelled = await #expect(throws: DownloadError.self) { try await two.delete("disk") }
        #expect(cancelled?.code == .alreadyRunning)
        latch.release()
        let file = try await one.file(for: "disk")
        #expect(try resource.verify(fileAt: file.path) == nil)
        await two.waits(for: "disk") { $0?.isFinished == true }
        #expect(scene.origin.requests.count == 1)
    }

    @Test func `a key that another process is fetching names the process`() async throws {
        let latch = Latch()
        let scene = try ShelfScene(.resource(resource).holdAfterBytes(1000, until: latch))
        let library = try await scene.open()
        let process = try scene.startProbe("disk")
        await latch.waitForArrivals()
        let error = await #expect(throws: DownloadError.self) {
            try await library.file(for: "disk", from: try scene.url())
        }
        #expect(error?.code == .alreadyRunning)
        #expect(error?.message == "process \(process.identifier) is fetching 'disk'")
        await library.waits(for: "disk") {
            if case .runningElsewhere(process.identifier) = $0 { true } else { false }
        }
        latch.release()
        #expect(await process.waitForExit().isSuccess)
        #expect(process.output.contains("finished disk.bin \(resource.size)"))
        await library.waits(for: "disk") { $0?.isFinished == true }
        _ = try await library.file(for: "disk", from: try scene.url())
        #expect(scene.origin.requests.count == 1)
    }

    @Test func `many libraries that request the same keys fetch each once`() async throws {
        let scene = try ShelfScene(.resource(Resource(size: 5000)))
        var libraries: [DownloadLibrary] = []
        for _ in 0..<4 { libraries.append(try await scene.open()) }
        let url = try scene.url()
        let keys = (0..<20).map { StorageKey("key \($0)") }
        for key in keys {
            let codes = await withTaskGroup(of: ErrorCode?.self) { group in
                for library in libraries {
                    group.addTask {
                        do throws(DownloadError) {
                            _ = try await library.file(for: key, from: url)
                            return nil
                        } catch {
                            return error.code
                        }
                    }
                }
                return await group.reduce(into: [ErrorCode?]()) { $0.append($1) }
            }
            #expect(codes.contains(nil))
            #expect(codes.allSatisfy { $0 == nil || $0 == .alreadyRunning }, "\(codes)")
        }
        #expect(scene.origin.requests.count == 20)
        #expect(scene.folder.list().count == 20)
    }
}
