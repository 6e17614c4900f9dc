import Glibc
import Pawl
import PawlCore
import PawlLibrary
import PawlStorage
import PawlTesting
import SystemPackage
import Testing

/// A file that others have put into the folder or have edited is neither returned as a key's own
/// nor lost.
@Suite(.timeLimit(.minutes(5)))
struct LibraryForeignTests {
    private let resource = Resource(size: 100_000)

    /// Opens a library that does not watch its folder.
    private func openBlind(_ scene: ShelfScene) async throws -> DownloadLibrary {
        try await scene.open { $0.watchesFolder = false }
    }

    private func error(_ body: () async throws -> Void) async -> DownloadError? {
        await #expect(throws: DownloadError.self) { try await body() }
    }

    @Test func `writing never replaces a file that does not belong to the key`() async throws {
        let scene = try ShelfScene()
        let library = try await openBlind(scene)
        try scene.folder.write("notes.txt", "mine")
        let file = try await library.write([1], for: "k", named: "notes.txt")
        #expect(file.name == "notes.1.txt")
        #expect(try scene.folder.readText("notes.txt") == "mine")
        // A file of the key that somebody has edited.
        try scene.folder.write("notes.1.txt", "edited")
        let other = try await library.write([2], for: "k", named: "notes.txt")
        #expect(other.name == "notes.2.txt")
        #expect(try scene.folder.readText("notes.1.txt") == "edited")
        #expect(try await library.data(of: "k").elementsEqual([2]))
        #expect(try await library.write([3], for: "k").path == other.path)
    }

    @Test func `writing leaves an unfinished download as it is`() async throws {
        let scene = try ShelfScene()
        let library = try await scene.open()
        let latch = try await scene.hold(library, of: Resource(size: 1 << 20))
        let busy = await error { _ = try await library.write([1], for: "disk") }
        #expect(busy?.code == .alreadyRunning)
        library.pause("disk")
        await library.waits(for: "disk") { $0?.isPaused == true }
        _ = try await library.write([1], for: "disk")
        #expect(library.exists("disk"))
        let note = PendingNote.read(FilePath(scene.folder.path(".disk.pawl-download")))
        #expect(note?.url == (try scene.url()))
        await library.close()
        latch.release()
        #expect(try await scene.open().entry(for: "disk")?.receivedBytes == 400_000)
    }

    @Test func `a note that was removed during a run is not written when the run fails`()
        async throws
    {
        let scene = try ShelfScene()
        let library = try await scene.open()
        let latch = Latch()
        let reply = Reply.resource(Resource(size: 1 << 20))
        scene.origin.route(
            "/disk.bin",
            reply.holdAfterBytes(400_000, until: latch).afterBytes(500_000, .reset)
        )
        try library.start("disk", from: try scene.url())
        await library.reaches(400_000, "disk")
        let note = scene.folder.path(".disk.pawl-download")
        #expect(unlink(note) == 0)
        latch.release()
        // A failed download without a note may be forgotten at once.
        await library.waits(for: "disk") { $0 == nil || $0?.failure != nil }
        await library.close()
        #expect(access(note, F_OK) != 0)
    }

    @Test func `two keys never get the same file, even if a third file has the name`() async throws
    {
        let scene = try ShelfScene(.resource(resource))
        let library = try await openBlind(scene)
        try scene.folder.write("photo.png", "mine")
        var request = LibraryRequest(try scene.url())
        request.name = "photo.png"
        #expect(try await library.file(for: "c", request).name == "photo.1.png")
        #expect(try await library.file(for: "d", request).name == "photo.2.png")
        #expect(try await library.delete("d"))
        #expect(try await library.verify().intact == ["c"])
        #expect(scene.folder.list() == ["photo.1.png", "photo.png"])
    }

    @Test func `an unreported replacement is neither deleted nor cleaned`() async throws {
        let scene = try ShelfScene(.resource(resource))
        let library = try await openBlind(scene)
        let file = try await library.file(for: "disk", from: try scene.url())
        try scene.folder.write(file.name, "mine")
        let refused = await error { _ = try await library.delete("disk") }
        #expect(refused?.code == .fileExists)
        #expect(library.entry(for: "disk")?.state.isChanged == true)
        let cleaned = try await library.clean(CleaningPolicy(maximumTotalBytes: 0))
        #expect(cleaned.removed.isEmpty)
        #expect(try scene.folder.readText(file.name) == "mine")
        // A second request confirms the deletion.
        #expect(try await library.delete("disk"))
        #expect(scene.folder.list() == [])
    }

    @Test func `a finished file is checked before it is returned`() async throws {
        let scene = try ShelfScene(.resource(resource))
        let library = try await openBlind(scene)
        let file = try await library.file(for: "disk", from: try scene.url())
        #expect(rename(file.path, scene.folder.path("other.bin")) == 0)
        #expect(try await library.file(for: "disk").name == "other.bin")
        #expect(scene.origin.requests.count == 1)
        unlink(scene.folder.path("other.bin"))
        let again = try await library.file(for: "disk", from: try scene.url())
        #expect(scene.origin.requests.count == 2)
        #expect(try resource.verify(fileAt: again.path) == nil)
        unlink(again.path)
        try library.start("disk", from: try scene.url())
        await library.waits(for: "disk") { $0?.isFinished == true }
        #expect(scene.origin.requests.count == 3)
    }

    @Test func `the bytes of a changed file or of a link are not returned`() async throws {
        let scene = try ShelfScene(.resource(resource))
        let library = try await openBlind(scene)
        let file = try await library.file(for: "disk", from: try scene.url())
        try scene.folder.write(file.name, "mine")
        let changed = await error { _ = try await library.data(of: "disk") }
        #expect(changed?.code == .fileUnreadable)
        #expect(changed?.message.contains("changed") == true)
        let outside = try ScratchFolder()
        let secret = try outside.write("secret", "secret")
        unlink(file.path)
        #expect(symlink(secret, file.path) == 0)
        #expect(await error { _ = try await library.data(of: "disk") }?.code == .fileUnreadable)
    }

    @Test(arguments: [FinishedFilePolicy.reload, .revalidate])
    func `an edit made while the replacement downloads is kept`(policy: FinishedFilePolicy)
        async throws
    {
        let scene = try ShelfScene(.resource(resource))
        let library = try await openBlind(scene)
        let file = try await library.file(for: "disk", from: try scene.url())
        let (folder, tag) = (scene.folder, try #require(resource.entityTag))
        scene.origin.route(
            "/disk.bin",
            .resource(resource).choosing(.status(304)) { exchange in
                // A failed write would be noticed below.
                _ = try? folder.write("disk.bin", "mine")
                return exchange.request["If-None-Match"] == tag
            }
        )
        var request = LibraryRequest(try scene.url())
        request.policy = policy
        let newer = try await library.file(for: "disk", request)
        #expect(newer.path != file.path)
        #expect(try scene.folder.readText("disk.bin") == "mine")
        #expect(try resource.verify(fileAt: newer.path) == nil)
    }

    @Test func `another tool's partial file stays when a download is discarded`() async throws {
        let scene = try ShelfScene()
        guard hasAttributes(scene.folder) else { return }
        var representation = Representation(total: 5000)
        representation.entityTag = EntityTag(isWeak: false, opaque: "\"v1\"")
        let store = try PartialCreation.create(
            DownloadPaths(FilePath(scene.folder.path("x.bin"))),
            source: "http://example.org/x.bin",
            representation: representation,
            settings: StoreSettings()
        )
        try [UInt8](repeating: 7, count: 1000).withUnsafeBytes { try store.write($0, at: 0) }
        try store.saveCheckpoint(written: RangeSet(ByteRange(0, 1000)))
        store.close()
        let library = try await scene.open()
        var request = LibraryRequest(try scene.url())
        request.name = "x.bin"
        #expect(await error { _ = try await library.file(for: "k", request) }?.code == .notFound)
        #expect(try await library.cancel("k"))
        #expect(scene.folder.list() == ["x.bin.part", "x.bin.part.pawl"])
        // A download with that name uses another partial file, which its note names.
        scene.origin.route("/disk.bin", .resource(Resource(size: 1 << 20)))
        scene.origin.route(
            "/disk.bin",
            .resource(Resource(size: 1 << 20)).holdAfterBytes(400_000, until: Latch())
        )
        try library.start("k", request)
        await library.reaches(400_000, "k")
        library.pause("k")
        await library.waits(for: "k") { $0?.isPaused == true }
        #expect(library.entry(for: "k")?.receivedBytes == 400_000)
        await library.close()
        let next = try await scene.open()
        #expect(next.entries.map(\.key) == ["k"])
        #expect(try await next.delete("k"))
        #expect(scene.folder.list() == ["x.bin.part", "x.bin.part.pawl"])
    }

    @Test func `a library cannot be its own drop folder`() async throws {
        let scene = try ShelfScene()
        let link = try ScratchFolder()
        #expect(symlink(scene.folder.path, link.path("drop")) == 0)
        for path in [scene.folder.path, link.path("drop")] {
            let refused = await error { _ = try await scene.open { $0.dropFolder = path } }
            #expect(refused?.code == .usage)
        }
        _ = try await scene.open { $0.dropFolder = scene.folder.path("drop") }
    }
}
