import PawlCore
import PawlLibrary
import Testing

/// How changes of a folder are judged while downloads run.
@Suite(.timeLimit(.minutes(5)))
struct FolderCheckTests {
    private let other = FoundFile(stamp: FileStamp(device: 1, inode: 5, size: 50, modified: 5))

    private func found(_ file: KnownFile) -> FoundFile {
        FoundFile(stamp: file.stamp, record: .found(file.record))
    }

    @Test func `only names that a download has touched are checked again`() {
        var scene = IndexScene()
        _ = scene.ask("a")
        var check = FolderCheck([.added("a"), .added("b"), .added("c")])
        #expect(check.missing(for: scene.index) == ["a", "b", "c"])
        // The download's file does not have its name yet.
        check.saw(["b": other, "c": other], of: ["a", "b", "c"])
        #expect(check.missing(for: scene.index).isEmpty)
        scene.finish("a")
        check.forget(scene.index.tables.names(of: "a").union([".a.pawl-download"]))
        #expect(check.missing(for: scene.index) == ["a"])
        check.saw(["a": found(scene.file("a"))], of: ["a"])
        #expect(check.missing(for: scene.index).isEmpty)
        let actions = scene.index.handle(check.event(for: scene.index))
        #expect(actions.told == ["added b -", "added c -"])
        #expect(scene.index.entries["a"]?.file == scene.file("a"))
    }

    @Test func `a note seen before its download ended is ignored`() {
        var scene = IndexScene()
        var check = FolderCheck([.added(".a.pawl-download")])
        let pending = PendingDownload(key: "a", name: "a", url: scene.url("a"))
        check.saw(
            [".a.pawl-download": FoundFile(stamp: other.stamp, pending: pending)],
            of: [".a.pawl-download"]
        )
        scene.finish("a")
        check.forget([".a.pawl-download"])
        #expect(check.missing(for: scene.index) == [".a.pawl-download"])
        check.saw([:], of: [".a.pawl-download"])
        _ = scene.index.handle(check.event(for: scene.index))
        #expect(scene.index.entries["a"]?.download == nil)
        #expect(scene.index.entries["a"]?.file == scene.file("a"))
    }

    @Test func `a key's file under another name has its own name checked, too`() {
        var scene = IndexScene()
        scene.finish("a")
        for isGone in [false, true] {
            var scene = scene
            var check = FolderCheck([.added("b")])
            #expect(check.missing(for: scene.index) == ["b"])
            check.saw(["b": found(scene.file("a"))], of: ["b"])
            #expect(check.missing(for: scene.index) == ["a"])
            check.saw(isGone ? [:] : ["a": found(scene.file("a"))], of: ["a"])
            #expect(check.missing(for: scene.index).isEmpty)
            let told = scene.index.handle(check.event(for: scene.index)).told
            #expect(told == (isGone ? ["renamed a b a"] : ["added b -"]))
        }
    }

    @Test(arguments: [true, false])
    func `a key's file that is gone when it is checked is searched under other names`(
        isRenamed: Bool
    ) {
        var scene = IndexScene()
        scene.finish("a")
        var check = FolderCheck([.added("a"), .modified("b")])
        check.saw(["b": other], of: ["a", "b"])
        #expect(check.missing(for: scene.index).isEmpty)
        #expect(check.lost(for: scene.index) == ["a"])
        var files: [ExactText: FileStamp] = ["b": other.stamp]
        if isRenamed { files["c"] = scene.file("a").stamp }
        check.searched(["a"], among: files, for: scene.index)
        #expect(check.lost(for: scene.index).isEmpty)
        #expect(check.missing(for: scene.index) == (isRenamed ? ["c"] : []))
        if isRenamed { check.saw(["c": found(scene.file("a"))], of: ["c"]) }
        #expect(check.missing(for: scene.index).isEmpty && check.lost(for: scene.index).isEmpty)
        let told = scene.index.handle(check.event(for: scene.index)).told
        #expect(told == [isRenamed ? "renamed a c a" : "removed a a", "added b -"])
        #expect(scene.index.entries["a"]?.file?.name == (isRenamed ? "c" : nil))
    }

    @Test func `a key's file that is removed and added under another name was renamed`() {
        var scene = IndexScene()
        scene.finish("a")
        var check = FolderCheck([.removed("a"), .added("b")])
        check.saw(["b": found(scene.file("a"))], of: ["b"])
        #expect(check.missing(for: scene.index) == ["a"])
        check.saw([:], of: ["a"])
        let told = scene.index.handle(check.event(for: scene.index)).told
        #expect(told == ["renamed a b a"])
    }

    @Test func `the names of a key include existing and planned ones`() {
        var scene = IndexScene()
        #expect(scene.index.tables.names(of: "a").isEmpty)
        scene.finish("a")
        #expect(scene.index.tables.names(of: "a") == ["a"])
        scene.change("a")
        _ = scene.ask("a")
        #expect(scene.index.tables.names(of: "a").isSuperset(of: ["a", "a.1"]))
    }
}
