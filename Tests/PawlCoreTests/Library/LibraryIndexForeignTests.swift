import PawlCore
import Testing

/// Files that belong to others, or were changed by others, are neither returned as a key's own nor
/// overwritten.
@Suite(.timeLimit(.minutes(1)))
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
        var desk = IndexDesk()
        desk.finish("a", name: "a.bin")
        desk.finish("b", name: "b.bin")
        let (a, b) = (desk.file("a", name: "a.bin"), desk.file("b", name: "b.bin"))
        let over = ["a.bin": copy(of: b, into: a)]
        #expect(desk.index.namesBesides(over) == ["b.bin"])
        let actions = desk.folder(
            [.modified("a.bin")],
            over.merging(["b.bin": found(b)]) { old, _ in old }
        )
        #expect(actions.told == ["changed a.bin a"])
        #expect(desk.index.entries["a"]?.file?.isChanged == true)
        #expect(desk.ask("a").given.isEmpty)
        #expect(desk.ask("b").given == ["b.bin"])
    }

    @Test func `two files that have swapped names keep their keys`() {
        var desk = IndexDesk()
        desk.finish("a", name: "a.bin")
        desk.finish("b", name: "b.bin")
        let (a, b) = (desk.file("a"), desk.file("b"))
        let swapped = ["a.bin": found(b), "b.bin": found(a)]
        let actions = desk.folder([.modified("a.bin"), .modified("b.bin")], swapped)
        #expect(actions.told == ["changed a.bin b", "changed b.bin a"])
        #expect(desk.ask("a").given == ["b.bin"])
        #expect(desk.ask("b").given == ["a.bin"])
        // Seeing one of them is enough.
        _ = desk.folder([.modified("a.bin")], ["a.bin": found(a), "b.bin": found(b)])
        _ = desk.folder([.modified("b.bin")], ["b.bin": found(b), "a.bin": found(a)])
        #expect(desk.ask("a").given == ["a.bin"])
        #expect(desk.ask("b").given == ["b.bin"])
    }

    @Test func `a file renamed before the watch saw it is reported as renamed`() {
        var desk = IndexDesk()
        desk.finish("a", name: "a.bin")
        let seen = ["b.bin": found(desk.file("a"))]
        #expect(desk.index.namesBesides(seen) == ["a.bin"])
        let changes = desk.index.changes([.added("b.bin")], seen, gone: ["a.bin"])
        #expect(changes == [.renamed(from: "a.bin", to: "b.bin")])
        #expect(desk.index.changes(changes, seen, gone: ["a.bin"]) == changes)
        #expect(desk.folder(changes, seen).told == ["renamed a.bin b.bin a"])
        #expect(desk.ask("a").given == ["b.bin"])
        // Another file with its record is a different file: the key's own is gone.
        let other = ["c.bin": copy(of: desk.file("a"), into: desk.file("other"))]
        #expect(
            desk.index.changes([.added("c.bin")], other, gone: ["b.bin"]) == [
                .removed("b.bin"), .added("c.bin"),
            ]
        )
    }

    @Test func `the name of a foreign file is not free`() throws {
        var desk = IndexDesk()
        let mine = FoundFile(stamp: desk.stamp(inode: 5))
        _ = desk.folder([.added("notes.txt")], ["notes.txt": mine])
        #expect(desk.index.freeName("notes.txt", for: "k") == "notes.1.txt")
        let start = try #require(desk.ask("k", name: "notes.txt").starts.first)
        #expect(start.order.name == "notes.1.txt")
        // Another process may have put it there a moment ago.
        #expect(start.mayBeAt == ["notes.txt"])
        // The key's own name is free for it until somebody changes the file.
        desk.finish("a", name: "a.bin")
        #expect(desk.index.isFree("a.bin", for: "a"))
        #expect(!desk.index.isFree("a.bin", for: "b"))
        desk.change("a.bin")
        #expect(!desk.index.isFree("a.bin", for: "a"))
    }

    @Test func `after a failed replacement an edited file is left alone`() throws {
        var desk = IndexDesk()
        desk.finish("a")
        let reload = try #require(desk.ask("a", policy: .reload).starts.first)
        #expect(reload.replaced == desk.file("a"))
        _ = desk.end("a", .failed(DownloadError(.network, "broke"), reached: 10))
        desk.change("a")
        let actions = desk.ask("a", hasURL: false)
        let start = try #require(actions.starts.first)
        #expect(!start.order.replaces)
        #expect(start.order.name == "a.1")
        #expect(start.replaced == nil)
        #expect(actions.discards.map(\.name) == ["a"])
    }

    @Test func `a file that is gone or renamed is no longer replaced`() throws {
        for isRenamed in [false, true] {
            var desk = IndexDesk()
            desk.finish("a")
            _ = desk.ask("a", policy: .reload)
            _ = desk.end("a", .failed(DownloadError(.network, "broke"), reached: 10))
            if isRenamed {
                _ = desk.folder([.renamed(from: "a", to: "b")], ["b": found(desk.file("a"))])
                let start = try #require(desk.ask("a", policy: .reload).starts.first)
                #expect(start.order.name == "b")
                #expect(start.replaced?.name == "b")
            } else {
                _ = desk.folder([.removed("a")], [:])
                let start = try #require(desk.ask("a").starts.first)
                #expect(start.order.name == "a")
                #expect(!start.order.replaces)
                #expect(start.replaced == nil)
            }
        }
    }

    @Test func `a note that requests a replacement does not affect a changed file`() throws {
        var desk = IndexDesk()
        var order = PendingDownload(key: "a", name: "a", url: desk.url("a"))
        order.replaces = true
        var content = LibraryContent()
        content.notes[LibraryName.pendingName(form: "a")] = .some(order)
        var file = found(desk.file("a"))
        file.stamp.size += 1
        content.files["a"] = file
        _ = desk.index.load(content)
        #expect(desk.index.entries["a"]?.file?.isChanged == true)
        let start = try #require(desk.ask("a").starts.first)
        #expect(!start.order.replaces)
        #expect(start.order.name == "a.1")
    }

    @Test func `a record next to another file does not make it the key's`() {
        var desk = IndexDesk()
        var content = LibraryContent()
        // The side file of a missing file; somebody has put another file in its place.
        content.files["a"] = FoundFile(
            stamp: desk.stamp(inode: 7),
            record: .found(desk.file("a").record)
        )
        _ = desk.index.load(content)
        #expect(desk.index.entries["a"] == nil)
        #expect(!desk.index.isFree("a", for: "a"))
    }

    @Test(arguments: [true, false])
    func `a change during a replacement is checked after the replacement failed`(isPaused: Bool) {
        var desk = IndexDesk()
        desk.finish("a")
        _ = desk.ask("a", policy: .reload)
        let edited = FoundFile(stamp: desk.stamp(inode: 1))
        #expect(desk.folder([.modified("a")], ["a": edited]).isEmpty)
        if isPaused { _ = desk.index.handle(.pauseAsked("a")) }
        let end: LibraryIndex.RunEnd =
            isPaused ? .stopped : .failed(DownloadError(.network, "broke"), reached: 0)
        #expect(desk.end("a", end).looks == ["a"])
        #expect(desk.folder([.added("a")], ["a": edited]).told == ["changed a a"])
        #expect(desk.ask("a").given.isEmpty)
    }

    @Test func `a finished file is checked again only if it was changed since`() {
        var desk = IndexDesk()
        let file = desk.file("a")
        _ = desk.ask("a")
        _ = desk.folder([.added("a")], ["a": FoundFile(stamp: file.stamp)])
        #expect(desk.end("a", .finished(file, wasFetched: true)).looks.isEmpty)
        _ = desk.ask("b")
        _ = desk.folder([.added("b")], ["b": FoundFile(stamp: desk.stamp(inode: 2))])
        #expect(desk.end("b", .finished(desk.file("b"), wasFetched: true)).looks == ["b"])
        _ = desk.ask("c")
        _ = desk.folder([.removed("c")], [:])
        #expect(desk.end("c", .finished(desk.file("c"), wasFetched: true)).looks == ["c"])
    }

    @Test func `the verification of an outdated file is ignored`() {
        var desk = IndexDesk()
        desk.finish("a")
        let before = desk.file("a")
        var damaged = before
        damaged.isChanged = true
        _ = desk.folder([.renamed(from: "a", to: "b")], ["b": found(before)])
        _ = desk.index.handle(.renewed(damaged, before: before))
        #expect(desk.index.entries["a"]?.file?.name == "b")
        #expect(desk.index.entries["a"]?.file?.isChanged == false)
        var now = before
        now.name = "b"
        damaged.name = "b"
        _ = desk.index.handle(.renewed(damaged, before: now))
        #expect(desk.index.entries["a"]?.file?.isChanged == true)
    }

    @Test func `a download's actual name is reserved, not the requested one`() throws {
        var desk = IndexDesk()
        let run = try #require(desk.ask("a", name: "x.png").starts.first?.run)
        #expect(desk.index.handle(.named("a", run + 1, "y.png")).isEmpty)
        #expect(desk.index.entries["a"]?.download?.order.name == "x.png")
        #expect(desk.index.handle(.named("a", run, "x.1.png")).isEmpty)
        #expect(desk.index.isFree("x.png", for: "b"))
        #expect(!desk.index.isFree("x.1.png", for: "b"))
    }

    @Test func `a name that one key is checking on disk is reserved`() {
        var index = LibraryIndex(folder: "/library")
        let claims = ["a", "b"].map { index.claim("x.png", for: $0) }
        #expect(claims == [true, false])
        #expect(index.freeName("x.png", for: "b") == "x.1.png")
        #expect(index.isFree("x.png", for: "a"))
        index.unclaim("x.png")
        #expect(index.isFree("x.png", for: "b"))
    }

    @Test func `a URL replaced during a pause is recorded`() throws {
        var desk = IndexDesk()
        _ = desk.ask("a")
        _ = desk.index.handle(.pauseAsked("a"))
        _ = desk.index.handle(.urlReplaced("a", desk.url("other")))
        #expect(desk.end("a", .stopped).saves.map(\.url) == [desk.url("other")])
        // A run writes the note itself.
        _ = desk.ask("a", hasURL: false)
        _ = desk.index.handle(.pauseAsked("a"))
        #expect(desk.end("a", .stopped).saves.isEmpty)
    }

    @Test func `a name given by the user is never an internal one`() {
        for name in ["x.part.1", "x.part.pawl.7", "x.part", ".x"] {
            let usable = LibraryName.usable(name)
            #expect(usable.map(LibraryName.isInternal) == false, "\(name): \(usable ?? "nil")")
        }
        #expect(LibraryName.usable("x.png") == "x.png")
    }
}
