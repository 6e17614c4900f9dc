import PawlCore
import PawlLibrary
import Testing

/// Files that belong to others, or were changed by others, are neither returned as a key's own nor
/// overwritten.
@Suite(.timeLimit(.minutes(5)))
struct LibraryIndexForeignTests {
    /// A file as found after its bytes were written into another file, which has another inode.
    private func copy(of file: KnownFile, into other: KnownFile) -> FoundFile {
        var stamp = other.stamp
        (stamp.size, stamp.modified) = (file.stamp.size, file.stamp.modified)
        return FoundFile(stamp: stamp, record: .found(file.record))
    }

    private func found(_ file: KnownFile) -> FoundFile {
        FoundFile(stamp: file.stamp, record: .found(file.record))
    }

    @Test func `a file overwritten with another key's file counts as changed`() {
        var scene = IndexScene()
        scene.finish("a", name: "a.bin")
        scene.finish("b", name: "b.bin")
        let (a, b) = (scene.file("a", name: "a.bin"), scene.file("b", name: "b.bin"))
        let over: [ExactText: FoundFile] = ["a.bin": copy(of: b, into: a)]
        #expect(scene.index.tables.namesBesides(over) == ["b.bin"])
        let actions = scene.folder(
            [.modified("a.bin")],
            over.merging(["b.bin": found(b)]) { old, _ in old }
        )
        #expect(actions.told == ["changed a.bin a"])
        #expect(scene.index.entries["a"]?.file?.isChanged == true)
        #expect(scene.ask("a").given.isEmpty)
        #expect(scene.ask("b").given == ["b.bin"])
    }

    @Test func `two files that have swapped names keep their keys`() {
        var scene = IndexScene()
        scene.finish("a", name: "a.bin")
        scene.finish("b", name: "b.bin")
        let (a, b) = (scene.file("a"), scene.file("b"))
        let swapped: [ExactText: FoundFile] = ["a.bin": found(b), "b.bin": found(a)]
        let actions = scene.folder([.modified("a.bin"), .modified("b.bin")], swapped)
        #expect(actions.told == ["changed a.bin b", "changed b.bin a"])
        #expect(scene.ask("a").given == ["b.bin"])
        #expect(scene.ask("b").given == ["a.bin"])
        // Seeing one of them is enough.
        _ = scene.folder([.modified("a.bin")], ["a.bin": found(a), "b.bin": found(b)])
        _ = scene.folder([.modified("b.bin")], ["b.bin": found(b), "a.bin": found(a)])
        #expect(scene.ask("a").given == ["a.bin"])
        #expect(scene.ask("b").given == ["b.bin"])
    }

    @Test func `a file renamed before the watch saw it is reported as renamed`() {
        var scene = IndexScene()
        scene.finish("a", name: "a.bin")
        let seen: [ExactText: FoundFile] = ["b.bin": found(scene.file("a"))]
        #expect(scene.index.tables.namesBesides(seen) == ["a.bin"])
        let changes = scene.index.tables.changes([.added("b.bin")], seen, gone: ["a.bin"])
        #expect(changes == [.renamed(from: "a.bin", to: "b.bin")])
        #expect(scene.index.tables.changes(changes, seen, gone: ["a.bin"]) == changes)
        #expect(scene.folder(changes, seen).told == ["renamed a.bin b.bin a"])
        #expect(scene.ask("a").given == ["b.bin"])
        // Another file with its record is a different file: the key's own is gone.
        let copied = copy(of: scene.file("a"), into: scene.file("other"))
        let other: [ExactText: FoundFile] = ["c.bin": copied]
        #expect(
            scene.index.tables.changes([.added("c.bin")], other, gone: ["b.bin"]) == [
                .removed("b.bin"), .added("c.bin"),
            ]
        )
    }

    @Test func `the name of a foreign file is not free`() throws {
        var scene = IndexScene()
        let mine = FoundFile(stamp: scene.stamp(inode: 5))
        _ = scene.folder([.added("notes.txt")], ["notes.txt": mine])
        #expect(scene.index.tables.freeName("notes.txt", for: "k") == "notes.1.txt")
        let start = try #require(scene.ask("k", name: "notes.txt").starts.first)
        #expect(start.pending.name == "notes.1.txt")
        // Another process may have put it there a moment ago.
        #expect(start.mayBeAt == ["notes.txt"])
        // The key's own name is free for it until somebody changes the file.
        scene.finish("a", name: "a.bin")
        #expect(scene.index.tables.isFree("a.bin", for: "a"))
        #expect(!scene.index.tables.isFree("a.bin", for: "b"))
        scene.change("a.bin")
        #expect(!scene.index.tables.isFree("a.bin", for: "a"))
    }

    @Test func `after a failed replacement an edited file is left alone`() throws {
        var scene = IndexScene()
        scene.finish("a")
        let reload = try #require(scene.ask("a", policy: .reload).starts.first)
        #expect(reload.replaced == scene.file("a"))
        _ = scene.end("a", .failed(DownloadError(.network, "broke"), reached: 10))
        scene.change("a")
        let actions = scene.ask("a", hasURL: false)
        let start = try #require(actions.starts.first)
        #expect(!start.pending.replaces)
        #expect(start.pending.name == "a.1")
        #expect(start.replaced == nil)
        #expect(actions.discards.map(\.name) == ["a"])
    }

    @Test func `a file that is gone or renamed is no longer replaced`() throws {
        for isRenamed in [false, true] {
            var scene = IndexScene()
            scene.finish("a")
            _ = scene.ask("a", policy: .reload)
            _ = scene.end("a", .failed(DownloadError(.network, "broke"), reached: 10))
            if isRenamed {
                _ = scene.folder([.renamed(from: "a", to: "b")], ["b": found(scene.file("a"))])
                let start = try #require(scene.ask("a", policy: .reload).starts.first)
                #expect(start.pending.name == "b")
                #expect(start.replaced?.name == "b")
            } else {
                _ = scene.folder([.removed("a")], [:])
                let start = try #require(scene.ask("a").starts.first)
                #expect(start.pending.name == "a")
                #expect(!start.pending.replaces)
                #expect(start.replaced == nil)
            }
        }
    }

    @Test func `a note that requests a replacement does not affect a changed file`() throws {
        var scene = IndexScene()
        var pending = PendingDownload(key: "a", name: "a", url: scene.url("a"))
        pending.replaces = true
        var content = LibraryContent()
        content.notes[".a.pawl-download"] = .some(pending)
        var file = found(scene.file("a"))
        file.stamp.size += 1
        content.files["a"] = file
        _ = scene.index.load(content)
        #expect(scene.index.entries["a"]?.file?.isChanged == true)
        let start = try #require(scene.ask("a").starts.first)
        #expect(!start.pending.replaces)
        #expect(start.pending.name == "a.1")
    }

    @Test func `a record next to another file does not make it the key's`() {
        var scene = IndexScene()
        var content = LibraryContent()
        // The side file of a missing file; somebody has put another file in its place.
        content.files["a"] = FoundFile(
            stamp: scene.stamp(inode: 7),
            record: .found(scene.file("a").record)
        )
        _ = scene.index.load(content)
        #expect(scene.index.entries["a"] == nil)
        #expect(!scene.index.tables.isFree("a", for: "a"))
    }

    @Test(arguments: [true, false])
    func `a change during a replacement is checked after the replacement failed`(isPaused: Bool) {
        var scene = IndexScene()
        scene.finish("a")
        _ = scene.ask("a", policy: .reload)
        let edited = FoundFile(stamp: scene.stamp(inode: 1))
        #expect(scene.folder([.modified("a")], ["a": edited]).isEmpty)
        if isPaused { _ = scene.index.handle(.pauseAsked("a")) }
        let end: LibraryIndex.RunOutcome =
            isPaused ? .stopped : .failed(DownloadError(.network, "broke"), reached: 0)
        #expect(scene.end("a", end).checks == ["a"])
        #expect(scene.folder([.added("a")], ["a": edited]).told == ["changed a a"])
        #expect(scene.ask("a").given.isEmpty)
    }

    @Test func `a finished file is checked again only if it was changed since`() {
        var scene = IndexScene()
        let file = scene.file("a")
        _ = scene.ask("a")
        _ = scene.folder([.added("a")], ["a": FoundFile(stamp: file.stamp)])
        #expect(scene.end("a", .finished(file, wasFetched: true)).checks.isEmpty)
        _ = scene.ask("b")
        _ = scene.folder([.added("b")], ["b": FoundFile(stamp: scene.stamp(inode: 2))])
        #expect(scene.end("b", .finished(scene.file("b"), wasFetched: true)).checks == ["b"])
        _ = scene.ask("c")
        _ = scene.folder([.removed("c")], [:])
        #expect(scene.end("c", .finished(scene.file("c"), wasFetched: true)).checks == ["c"])
    }

    @Test func `the verification of an outdated file is ignored`() {
        var scene = IndexScene()
        scene.finish("a")
        let before = scene.file("a")
        var damaged = before
        damaged.isChanged = true
        _ = scene.folder([.renamed(from: "a", to: "b")], ["b": found(before)])
        _ = scene.index.handle(.renewed(damaged, before: before))
        #expect(scene.index.entries["a"]?.file?.name == "b")
        #expect(scene.index.entries["a"]?.file?.isChanged == false)
        var now = before
        now.name = "b"
        damaged.name = "b"
        _ = scene.index.handle(.renewed(damaged, before: now))
        #expect(scene.index.entries["a"]?.file?.isChanged == true)
    }

    @Test func `a download's actual name is reserved, not the requested one`() throws {
        var scene = IndexScene()
        let run = try #require(scene.ask("a", name: "x.png").starts.first?.run)
        #expect(scene.index.handle(.named("a", run + 1, "y.png")).isEmpty)
        #expect(scene.index.entries["a"]?.download?.pending.name == "x.png")
        #expect(scene.index.handle(.named("a", run, "x.1.png")).isEmpty)
        #expect(scene.index.tables.isFree("x.png", for: "b"))
        #expect(!scene.index.tables.isFree("x.1.png", for: "b"))
    }

    @Test func `a name that one key is checking on disk is reserved`() {
        var index = LibraryIndex(folder: "/library")
        let reservations = ["a", "b"].map { index.reserve("x.png", for: $0) }
        #expect(reservations == [true, false])
        #expect(index.tables.freeName("x.png", for: "b") == "x.1.png")
        #expect(index.tables.isFree("x.png", for: "a"))
        index.unreserve("x.png")
        #expect(index.tables.isFree("x.png", for: "b"))
    }

    @Test func `a URL replaced during a pause is recorded`() throws {
        var scene = IndexScene()
        _ = scene.ask("a")
        _ = scene.index.handle(.pauseAsked("a"))
        _ = scene.index.handle(.urlReplaced("a", scene.url("other")))
        #expect(scene.end("a", .stopped).saves.map(\.url) == [scene.url("other")])
        // A run writes the note itself.
        _ = scene.ask("a", hasURL: false)
        _ = scene.index.handle(.pauseAsked("a"))
        #expect(scene.end("a", .stopped).saves.isEmpty)
    }

    @Test func `a name given by the user is never an internal one`() {
        for name in ["x.part.1", "x.part.pawl.7", "x.part", ".x"] {
            let usable = LibraryName.usable(name)
            #expect(usable.map(LibraryName.isInternal) == false, "\(name): \(usable ?? "nil")")
        }
        #expect(LibraryName.usable("x.png") == "x.png")
    }
}
