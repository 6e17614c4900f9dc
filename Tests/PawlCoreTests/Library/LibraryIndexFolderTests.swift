import PawlCore
import Testing

/// Contract: "deleted, renamed, replaced or added files change the library".
@Suite(.timeLimit(.minutes(1)))
struct LibraryIndexFolderTests {
    @Test func `a renamed file keeps its key, and its side file moves with it`() {
        var desk = IndexDesk()
        desk.finish("a")
        let stamp = desk.file("a").stamp
        let actions = desk.folder([.renamed(from: "a", to: "b")], ["b": FoundFile(stamp: stamp)])
        #expect(actions.told == ["renamed a b a"])
        #expect(actions.moves == ["a b"])
        #expect(desk.index.entries["a"]?.file?.name == "b")
        #expect(desk.folder([.removed("b")], [:]).told == ["removed b a"])
        #expect(desk.index.entries.isEmpty)
    }

    @Test func `a replaced file counts as changed until one with its record exists`() {
        var desk = IndexDesk()
        desk.finish("a")
        let other = desk.stamp(inode: 9)
        #expect(
            desk.folder([.modified("a")], ["a": FoundFile(stamp: other)]).told == ["changed a a"]
        )
        #expect(desk.index.entries["a"]?.file?.isChanged == true)
        let file = desk.file("a")
        let found = FoundFile(stamp: file.stamp, record: .found(file.record))
        #expect(desk.folder([.modified("a")], ["a": found]).told == ["changed a a"])
        #expect(desk.index.entries["a"]?.file?.isChanged == false)
        // A known state is not reported again.
        #expect(desk.folder([.modified("a")], ["a": found]).isEmpty)
    }

    @Test func `a late removal event does not affect a newer file`() {
        var desk = IndexDesk()
        desk.finish("a")
        let old = desk.file("a")
        var new = old
        new.stamp = desk.stamp(inode: 9)
        _ = desk.index.handle(.recorded(new))
        #expect(desk.index.handle(.removed("a", old)).isEmpty)
        #expect(desk.index.entries["a"]?.file == new)
        #expect(desk.index.handle(.removed("a", new)).told == ["removed a a"])
        #expect(desk.index.entries.isEmpty)
        // The folder has already reported it.
        #expect(desk.index.handle(.removed("a", new)).isEmpty)
    }

    @Test func `foreign files are reported, but not Pawl's own`() {
        var desk = IndexDesk()
        let found = FoundFile(stamp: desk.stamp(inode: 5))
        #expect(desk.folder([.added("photo")], ["photo": found]).told == ["added photo -"])
        for name in [".hidden", "disk.iso.part", "disk.iso.part.pawl", "disk.iso.part.2"] {
            #expect(desk.folder([.added(name)], [name: found]).isEmpty)
            #expect(desk.folder([.removed(name)], [:]).isEmpty)
        }
        #expect(desk.folder([.added("my.party")], ["my.party": found]).count == 1)
        // A file that was gone before it could be checked.
        #expect(desk.folder([.added("gone")], [:]).isEmpty)
        #expect(desk.folder([.modified("photo")], [:]).told == ["removed photo -"])
    }

    @Test func `a copy with all attributes is not the key's file`() {
        var desk = IndexDesk()
        desk.finish("a")
        let record = desk.file("a").record
        let copy = FoundFile(
            stamp: FileStamp(
                device: 1,
                inode: 77,
                size: record.byteCount,
                modified: record.modified
            ),
            record: .found(record)
        )
        #expect(desk.folder([.added("copy")], ["copy": copy]).told == ["added copy -"])
        #expect(desk.index.entries["a"]?.file?.name == "a")
        // When the first file is gone, the next check finds the copy.
        _ = desk.folder([.removed("a")], [:])
        #expect(desk.folder([.modified("copy")], ["copy": copy]).told == ["changed copy a"])
        #expect(desk.index.entries["a"]?.file?.name == "copy")
    }

    @Test func `only its end reports a download's own file`() {
        var desk = IndexDesk()
        _ = desk.ask("a", name: "a")
        let file = desk.file("a")
        let found = FoundFile(stamp: file.stamp)
        #expect(desk.folder([.renamed(from: "a.part", to: "a")], ["a": found]).isEmpty)
        #expect(desk.end("a", .finished(file, wasFetched: true)).told == ["finished a"])
        #expect(desk.folder([.added("a")], ["a": found]).isEmpty)
    }

    @Test func `a download of another process is seen starting, pausing and ending`() {
        var desk = IndexDesk()
        let order = PendingDownload(key: "a", name: "a.bin", url: desk.url("a"))
        let note = LibraryName.pendingName(form: "a")
        let stamp = desk.stamp(inode: 3)
        _ = desk.folder([.added(note)], [note: FoundFile(stamp: stamp, pending: order)])
        #expect(desk.index.entries["a"]?.download?.order == order)
        // The file exists before its record does.
        let file = desk.file("a", name: "a.bin")
        #expect(desk.folder([.added("a.bin")], ["a.bin": FoundFile(stamp: file.stamp)]).isEmpty)
        let changes = [FolderChange.removed(note)]
        #expect(desk.index.namesToLookAt(changes) == ["a.bin"])
        let found = FoundFile(stamp: file.stamp, record: .found(file.record))
        #expect(desk.folder(changes, ["a.bin": found]).told == ["added a.bin a"])
        #expect(desk.index.entries["a"]?.file?.name == "a.bin")
        #expect(desk.index.entries["a"]?.download == nil)
    }

    @Test func `initial content is not reported, but damaged records are`() {
        var desk = IndexDesk()
        var content = LibraryContent()
        let file = desk.file("a")
        content.files["a"] = FoundFile(stamp: file.stamp, record: .found(file.record))
        var edited = desk.file("b").stamp
        edited.size += 1
        content.files["edited"] = FoundFile(
            stamp: edited,
            record: .found(desk.file("b").record)
        )
        content.files["odd"] = FoundFile(stamp: desk.stamp(inode: 9), record: .damaged("why"))
        content.files["plain"] = FoundFile(stamp: desk.stamp(inode: 10))
        content.notes[LibraryName.pendingName(form: "c")] = .some(
            PendingDownload(key: "c", name: "c", url: desk.url("c"))
        )
        content.notes[LibraryName.pendingName(form: "d")] = .some(nil)
        content.partials = [("c", "c"), ("e", "e.bin")]
        let told = desk.index.load(content).told
        #expect(told == ["damaged .d.pawl-download", "damaged odd"])
        #expect(desk.index.entries["a"]?.file?.isChanged == false)
        #expect(desk.index.entries["b"]?.file?.isChanged == true)
        #expect(desk.index.entries["c"]?.download?.order.url == desk.url("c"))
        #expect(desk.index.entries["e"]?.download?.order.name == "e.bin")
        #expect(desk.index.entries.count == 4)
    }
}
