import PawlCore
import PawlLibrary
import Testing

/// Contract: "deleted, renamed, replaced or added files change the library".
@Suite(.timeLimit(.minutes(5)))
struct LibraryIndexFolderTests {
    @Test func `a renamed file keeps its key, and its side file moves with it`() {
        var scene = IndexScene()
        scene.finish("a")
        let stamp = scene.file("a").stamp
        let actions = scene.folder([.renamed(from: "a", to: "b")], ["b": FoundFile(stamp: stamp)])
        #expect(actions.told == ["renamed a b a"])
        #expect(actions.moves == ["a b"])
        #expect(scene.index.entries["a"]?.file?.name == "b")
        #expect(scene.folder([.removed("b")], [:]).told == ["removed b a"])
        #expect(scene.index.entries.isEmpty)
    }

    @Test func `a replaced file counts as changed until one with its record exists`() {
        var scene = IndexScene()
        scene.finish("a")
        let other = scene.stamp(inode: 9)
        #expect(
            scene.folder([.modified("a")], ["a": FoundFile(stamp: other)]).told == ["changed a a"]
        )
        #expect(scene.index.entries["a"]?.file?.isChanged == true)
        let file = scene.file("a")
        let found = FoundFile(stamp: file.stamp, record: .found(file.record))
        #expect(scene.folder([.modified("a")], ["a": found]).told == ["changed a a"])
        #expect(scene.index.entries["a"]?.file?.isChanged == false)
        // A known state is not reported again.
        #expect(scene.folder([.modified("a")], ["a": found]).isEmpty)
    }

    @Test func `a late removal event does not affect a newer file`() {
        var scene = IndexScene()
        scene.finish("a")
        let old = scene.file("a")
        var new = old
        new.stamp = scene.stamp(inode: 9)
        _ = scene.index.handle(.recorded(new))
        #expect(scene.index.handle(.removed("a", old)).isEmpty)
        #expect(scene.index.entries["a"]?.file == new)
        #expect(scene.index.handle(.removed("a", new)).told == ["removed a a"])
        #expect(scene.index.entries.isEmpty)
        // The folder has already reported it.
        #expect(scene.index.handle(.removed("a", new)).isEmpty)
    }

    @Test func `foreign files are reported, but not Pawl's own`() {
        var scene = IndexScene()
        let found = FoundFile(stamp: scene.stamp(inode: 5))
        #expect(scene.folder([.added("photo")], ["photo": found]).told == ["added photo -"])
        let own: [ExactText] = [
            ".hidden", "disk.iso.part", "disk.iso.part.pawl", "disk.iso.part.2",
        ]
        for name in own {
            #expect(scene.folder([.added(name)], [name: found]).isEmpty)
            #expect(scene.folder([.removed(name)], [:]).isEmpty)
        }
        #expect(scene.folder([.added("my.party")], ["my.party": found]).count == 1)
        // A file that was gone before it could be checked.
        #expect(scene.folder([.added("gone")], [:]).isEmpty)
        #expect(scene.folder([.modified("photo")], [:]).told == ["removed photo -"])
    }

    @Test func `a copy with all attributes is not the key's file`() {
        var scene = IndexScene()
        scene.finish("a")
        let record = scene.file("a").record
        let copy = FoundFile(
            stamp: FileStamp(
                device: 1,
                inode: 77,
                size: record.byteCount,
                modified: record.modified
            ),
            record: .found(record)
        )
        #expect(scene.folder([.added("copy")], ["copy": copy]).told == ["added copy -"])
        #expect(scene.index.entries["a"]?.file?.name == "a")
        // When the first file is gone, the next check finds the copy.
        _ = scene.folder([.removed("a")], [:])
        #expect(scene.folder([.modified("copy")], ["copy": copy]).told == ["changed copy a"])
        #expect(scene.index.entries["a"]?.file?.name == "copy")
    }

    @Test func `only its end reports a download's own file`() {
        var scene = IndexScene()
        _ = scene.ask("a", name: "a")
        let file = scene.file("a")
        let found = FoundFile(stamp: file.stamp)
        #expect(scene.folder([.renamed(from: "a.part", to: "a")], ["a": found]).isEmpty)
        #expect(scene.end("a", .finished(file, wasFetched: true)).told == ["finished a"])
        #expect(scene.folder([.added("a")], ["a": found]).isEmpty)
    }

    @Test func `a download of another process is seen starting, pausing and ending`() {
        var scene = IndexScene()
        let pending = PendingDownload(key: "a", name: "a.bin", url: scene.url("a"))
        let note = ExactText(LibraryName.pendingName(form: "a"))
        let stamp = scene.stamp(inode: 3)
        _ = scene.folder([.added(note)], [note: FoundFile(stamp: stamp, pending: pending)])
        #expect(scene.index.entries["a"]?.download?.pending == pending)
        // The file exists before its record does.
        let file = scene.file("a", name: "a.bin")
        #expect(scene.folder([.added("a.bin")], ["a.bin": FoundFile(stamp: file.stamp)]).isEmpty)
        let changes = [FolderChange.removed(note)]
        #expect(scene.index.tables.namesToCheck(changes) == ["a.bin"])
        let found = FoundFile(stamp: file.stamp, record: .found(file.record))
        #expect(scene.folder(changes, ["a.bin": found]).told == ["added a.bin a"])
        #expect(scene.index.entries["a"]?.file?.name == "a.bin")
        #expect(scene.index.entries["a"]?.download == nil)
    }

    @Test func `initial content is not reported, but damaged records are`() {
        var scene = IndexScene()
        var content = LibraryContent()
        let file = scene.file("a")
        content.files["a"] = FoundFile(stamp: file.stamp, record: .found(file.record))
        var edited = scene.file("b").stamp
        edited.size += 1
        content.files["edited"] = FoundFile(
            stamp: edited,
            record: .found(scene.file("b").record)
        )
        content.files["odd"] = FoundFile(stamp: scene.stamp(inode: 9), record: .damaged("why"))
        content.files["plain"] = FoundFile(stamp: scene.stamp(inode: 10))
        content.notes[".c.pawl-download"] = .some(
            PendingDownload(key: "c", name: "c", url: scene.url("c"))
        )
        content.notes[".d.pawl-download"] = .some(nil)
        content.partials = [("c", "c"), ("e", "e.bin")]
        let told = scene.index.load(content).told
        #expect(told == ["damaged .d.pawl-download", "damaged odd"])
        #expect(scene.index.entries["a"]?.file?.isChanged == false)
        #expect(scene.index.entries["b"]?.file?.isChanged == true)
        #expect(scene.index.entries["c"]?.download?.pending.url == scene.url("c"))
        #expect(scene.index.entries["e"]?.download?.pending.name == "e.bin")
        #expect(scene.index.entries.count == 4)
    }
}
