import Glibc
import Pawl
import PawlCore
import PawlLibrary
import PawlStorage
import PawlTesting
import SystemPackage
import Testing

/// Contract: "the key is in the library's index and in the file's extended attributes, so that the
/// index can be rebuilt".
@Suite(.timeLimit(.minutes(5)))
struct LibraryRebuildTests {
    private let resource = Resource(size: 1 << 20)

    @Test func `a killed process leaves a paused key that another process resumes`() async throws {
        let scene = try ShelfScene(.resource(resource).holdAfterBytes(600_000, until: Latch()))
        let process = try scene.startProbe("disk")
        while scene.partialBytes < 600_000, !Task.isCancelled { await Task.yield() }
        process.signal(SIGKILL)
        _ = await process.waitForExit()
        await scene.origin.waitForQuiet()
        scene.origin.route("/disk.bin", .resource(resource))
        let library = try await scene.open()
        let entry = try #require(library.entry(for: "disk"))
        #expect(entry.state.isPaused)
        #expect(entry.receivedBytes == 600_000)
        let file = try await library.file(for: "disk")
        #expect(try resource.verify(fileAt: file.path) == nil)
        let starts = scene.origin.requests.map { $0.range?.first }
        #expect(starts.last == 600_000, "\(starts)")
        #expect(scene.folder.list() == ["disk.bin"])
    }

    @Test func `a process killed between naming a file and recording it has fetched it`()
        async throws
    {
        let scene = try ShelfScene(.resource(resource))
        guard hasAttributes(scene.folder) else { return }
        var plan = FaultPlan(.killBefore, at: 1, of: [.attribute])
        plan.path = RecordStore.attribute
        let process = try scene.startProbe(
            ["disk", scene.origin.url("/disk.bin")],
            plan.environment(library: try await FaultShim.library())
        )
        #expect(await process.waitForExit() == .signal(SIGKILL))
        #expect(scene.folder.list() == [".disk.pawl-download", "disk.bin"])
        let library = try await scene.open()
        #expect(library.finishedFile(for: "disk")?.name == "disk.bin")
        let file = try await library.file(for: "disk", from: try scene.url())
        #expect(try resource.verify(fileAt: file.path) == nil)
        #expect(scene.origin.requests.count == 1)
        #expect(scene.folder.list() == ["disk.bin"])
    }

    @Test func `a partial file without its note is found by its key`() async throws {
        let scene = try ShelfScene()
        guard hasAttributes(scene.folder) else { return }
        let library = try await scene.open()
        _ = try await scene.hold(library, "my disk", of: resource)
        await library.close()
        #expect(unlink(scene.folder.path(".my%20disk.pawl-download")) == 0)
        let next = try await scene.open()
        #expect(next.entry(for: "my disk")?.state.isPaused == true)
        #expect(next.entry(for: "my disk")?.receivedBytes == 400_000)
        scene.origin.route("/disk.bin", .resource(resource))
        _ = try await next.file(for: "my disk", from: try scene.url())
        #expect(scene.origin.requests.last?.range?.first == 400_000)
    }

    @Test func `files renamed while no library was open keep their keys`() async throws {
        let scene = try ShelfScene(.resource(resource))
        let library = try await scene.open()
        // So long a record does not fit into an attribute: it is stored beside the file.
        let long = StorageKey(String(repeating: "k", count: 70_000))
        var files: [LibraryFile] = []
        for key in ["short", long] {
            files.append(try await library.file(for: key, from: try scene.url()))
        }
        await library.close()
        for file in files {
            let name = "\(file.key.text.prefix(5)).new"
            #expect(rename(file.path, scene.folder.path(name)) == 0)
        }
        let next = try await scene.open()
        #expect(next.finishedFile(for: "short")?.name == "short.new")
        #expect(next.finishedFile(for: long)?.name == "kkkkk.new")
        #expect(try await next.verify().faults.isEmpty)
    }

    @Test func `damaged notes and records are reported and crash nothing`() async throws {
        let scene = try ShelfScene(.resource(resource))
        let library = try await scene.open()
        let file = try await library.file(for: "disk", from: try scene.url())
        await library.close()
        try scene.folder.write(".torn.pawl-download", #"{"pawl":1,"key":"to"#)
        try scene.folder.write(".alien.pawl-download", [0xFF, 0xFE, 0])
        try scene.folder.write("odd", "odd")
        try scene.folder.write(".odd.pawl-record", "{}")
        guard hasAttributes(scene.folder) else { return }
        try ExtendedAttributes.write([1, 2, 3], RecordStore.attribute, on: FilePath(file.path))
        let next = try await scene.open()
        var damaged: [String] = []
        for await event in next.events {
            guard case .recordDamaged(let name, let reason) = event else { continue }
            #expect(!reason.isEmpty)
            damaged.append(name)
            if damaged.count == 4 { break }
        }
        #expect(
            damaged.sorted()
                == [".alien.pawl-download", ".torn.pawl-download", "disk.bin", "odd"]
        )
        #expect(next.entries.isEmpty)
        // The next request for the key rewrites a damaged note.
        _ = try await next.file(for: "torn", from: try scene.url())
    }

    @Test func `a file changed while no library was open is not treated as finished`()
        async throws
    {
        let scene = try ShelfScene(.resource(resource))
        let library = try await scene.open()
        let file = try await library.file(for: "disk", from: try scene.url())
        await library.close()
        try scene.folder.write("disk.bin", "mine")
        let next = try await scene.open()
        #expect(next.entry(for: "disk")?.state.isChanged == true)
        #expect(!next.exists("disk"))
        // The changed file stays; the new one is stored beside it.
        let again = try await next.file(for: "disk", from: try scene.url())
        #expect(again.name == "disk.1.bin")
        #expect(try scene.folder.readText("disk.bin") == "mine")
        #expect(try resource.verify(fileAt: again.path) == nil)
        #expect(file.key == again.key)
    }

    @Test(.enabled(if: PlainDisk.isAvailable))
    func `a file system without attributes gets side files`() async throws {
        let disk = try #require(try PlainDisk())
        let scene = try ShelfScene(at: disk.path)
        scene.origin.route("/a.bin", .resource(Resource(size: 1000)))
        let library = try await scene.open()
        let file = try await library.file(for: "a", from: try scene.url("/a.bin"))
        #expect(disk.names == [".a.bin.pawl-record", "a.bin"])
        _ = try await scene.hold(library, of: resource)
        await library.close()
        #expect(rename(file.path, disk.path + "/b.bin") == 0)
        let next = try await scene.open()
        #expect(next.finishedFile(for: "a")?.name == "b.bin")
        #expect(next.entry(for: "disk")?.state.isPaused == true)
        #expect(next.entry(for: "disk")?.receivedBytes == 400_000)
        // A rename that the library sees also renames the side file.
        let events = next.events
        #expect(rename(disk.path + "/b.bin", disk.path + "/c.bin") == 0)
        _ = await events.first {
            if case .fileRenamed("b.bin", "c.bin", "a") = $0 { true } else { nil }
        }
        while !disk.names.contains(".c.bin.pawl-record"), !Task.isCancelled { await Task.yield() }
        scene.origin.route("/disk.bin", .resource(resource))
        let whole = try await next.file(for: "disk")
        #expect(try resource.verify(fileAt: whole.path) == nil)
        #expect(try await next.delete("a"))
        #expect(disk.names == [".disk.bin.pawl-record", "disk.bin"])
    }
}

extension ShelfScene {
    /// The number of bytes that the checkpoint of `disk` records.
    fileprivate var partialBytes: Int64 {
        // The partial file gets its name after its checkpoint; a process that dies in between has
        // fetched nothing.
        guard folder.exists("disk.bin.part") else { return 0 }
        return CheckpointSummary.byteCounts(at: FilePath(folder.path("disk.bin")))?.bytes ?? 0
    }
}

/// Whether files in the folder can have attributes.
func hasAttributes(_ folder: PawlTesting.ScratchFolder) -> Bool {
    guard let path = try? folder.write(".probe", []) else { return false }
    defer { unlink(path) }
    return (try? ExtendedAttributes.write([1], "user.pawl.test", on: FilePath(path))) != nil
}

/// A file system in memory that keeps no attributes.
///
/// Only root can mount one.
final class PlainDisk: Sendable {
    let path: String
    private let folder: PawlTesting.ScratchFolder

    /// `nil` if mounting is not allowed.
    init?() throws {
        folder = try PawlTesting.ScratchFolder()
        path = try folder.makeFolder("disk")
        guard mount("pawl-test", path, "ramfs", 0, "") == 0 else { return nil }
    }

    deinit { umount2(path, Int32(MNT_DETACH)) }

    var names: [String] {
        (try? PawlStorage.FileFolder(FilePath(path)).names()) ?? []
    }

    /// Whether this process may mount such a file system, and it keeps no attributes.
    static let isAvailable: Bool = {
        // If it cannot be created, for whatever reason, the tests do not run.
        guard let disk = try? PlainDisk() else { return false }
        let file = FilePath(disk.path + "/probe")
        guard (try? FileFolder(FilePath(disk.path)).createFile("probe", [])) != nil else {
            return false
        }
        return (try? ExtendedAttributes.write([1], "user.pawl.test", on: file)) == nil
    }()
}
