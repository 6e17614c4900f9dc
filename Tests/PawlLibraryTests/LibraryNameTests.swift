import Glibc
import Pawl
import PawlCore
import PawlLibrary
import PawlTesting
import Testing

/// Two file names are equal only if their bytes are equal.
@Suite(.timeLimit(.minutes(5)))
struct LibraryNameTests {
    /// Swift treats these texts as equal.
    private let names = (composed: "caf\u{E9}.bin", decomposed: "cafe\u{301}.bin")

    /// Fetches two files of different sizes under the two names.
    private func fetchBoth(_ library: DownloadLibrary, _ scene: ShelfScene) async throws {
        for (key, name) in [("a", names.composed), ("b", names.decomposed)] {
            scene.origin.route("/\(key)", .resource(Resource(size: key == "a" ? 1000 : 2000)))
            var request = LibraryRequest(try scene.url("/\(key)"))
            request.name = name
            let file = try await library.file(for: StorageKey(key), request)
            #expect(file.name.isExactly(name))
        }
    }

    @Test func `files whose names only look the same stay two`() async throws {
        let scene = try ShelfScene()
        let library = try await scene.open()
        try await fetchBoth(library, scene)
        await library.close()
        let next = try await scene.open()
        #expect(next.finishedFile(for: "a")?.name.isExactly(names.composed) == true)
        #expect(next.finishedFile(for: "b")?.name.isExactly(names.decomposed) == true)
        #expect(try await next.sizes() == ["a": 1000, "b": 2000])
        #expect(try await next.verify().faults.isEmpty)
        let events = next.events
        #expect(unlink(scene.folder.path(names.composed)) == 0)
        _ = await events.first { if case .fileRemoved(_, "a") = $0 { true } else { nil } }
        #expect(!next.exists("a"))
        #expect(next.exists("b"))
        #expect(try await next.delete("b"))
        #expect(scene.folder.list().isEmpty)
    }

    @Test func `a file renamed to a name that looks the same keeps its key`() async throws {
        let scene = try ShelfScene()
        let library = try await scene.open()
        try await fetchBoth(library, scene)
        #expect(try await library.delete("b"))
        let (old, new) = (scene.folder.path(names.composed), scene.folder.path(names.decomposed))
        // A file that is renamed before the library has seen it is reported as removed and added.
        // Changes are seen in their order.
        let additions = library.events
        try scene.folder.write("seen.txt", "seen")
        _ = await additions.first { if case .fileAdded("seen.txt", _) = $0 { true } else { nil } }
        let events = library.events
        #expect(rename(old, new) == 0)
        _ = await events.first { if case .fileRenamed(_, _, "a") = $0 { true } else { nil } }
        #expect(library.finishedFile(for: "a")?.name.isExactly(names.decomposed) == true)
        #expect(try await library.data(of: "a").count == 1000)
    }

    @Test func `lists whose names only look the same are both taken`() async throws {
        let scene = try ShelfScene()
        let drop = try scene.folder.makeFolder("drop")
        for (key, name) in [("a", names.composed), ("b", names.decomposed)] {
            scene.origin.route("/\(key)", .resource(Resource(size: 1000)))
            let entry = #"[{"url": "\#(scene.origin.url("/\(key)"))", "key": "\#(key)"}]"#
            try scene.folder.write("drop/\(name).json", entry)
        }
        let library = try await scene.open { configuration in
            configuration.dropFolder = drop
            configuration.dropRest = .milliseconds(50)
        }
        await library.waits(for: "a") { $0?.isFinished == true }
        await library.waits(for: "b") { $0?.isFinished == true }
    }

    @Test func `a file is named by its key, in letters of its script`() async throws {
        let scene = try ShelfScene(.resource(Resource(size: 1000)))
        scene.origin.route("/*", .resource(Resource(size: 1000)))
        let library = try await scene.open()
        for (key, name) in [
            ("专辑/17", "专辑%2f17.bin"), ("cover.v2", "cover.v2.bin"), ("disk.bin", "disk.bin"),
        ] {
            let file = try await library.file(for: StorageKey(key), from: try scene.url())
            #expect(file.name.isExactly(name))
        }
        await library.close()
        let next = try await scene.open()
        #expect(next.exists("专辑/17") && next.exists("cover.v2") && next.exists("disk.bin"))
    }

    /// Earlier versions encoded each dot, and each letter of another script.
    @Test func `files and downloads with names of earlier versions are found`() async throws {
        let resource = Resource(size: 1 << 20)
        let latch = Latch()
        let scene = try ShelfScene(.resource(resource).holdAfterBytes(400_000, until: latch))
        let first = try await scene.open()
        try await first.write(Array("old".utf8), for: "b.c", named: "b%2ec.bin")
        var request = LibraryRequest(try scene.url())
        request.name = "a%2eb.bin"
        try first.start("a.b", request)
        await first.reaches(400_000, "a.b")
        await first.close()
        scene.origin.route("/disk.bin", .resource(resource))
        let count = scene.origin.requests.count
        let next = try await scene.open()
        let file = try await next.file(for: "a.b", from: try scene.url())
        #expect(file.name == "a%2eb.bin")
        #expect(try resource.verify(fileAt: file.path) == nil)
        #expect(scene.origin.requests.dropFirst(count).allSatisfy { $0.status == 206 })
        #expect(try await next.file(for: "b.c", from: try scene.url()).name == "b%2ec.bin")
        latch.release()
    }
}
