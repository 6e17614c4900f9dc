import PawlCore
import Testing

/// How changes of a folder are judged while downloads run.
@Suite(.timeLimit(.minutes(1)))
struct FolderLookTests {
    private let other = FoundFile(stamp: FileStamp(device: 1, inode: 5, size: 50, modified: 5))

    private func found(_ file: KnownFile) -> FoundFile {
        FoundFile(stamp: file.stamp, record: .found(file.record))
    }

    @Test func `only names that a download has touched are checked again`() {
        var desk = IndexDesk()
        _ = desk.ask("a")
        var look = FolderLook([.added("a"), .added("b"), .added("c")])
        #expect(look.missing(for: desk.index) == ["a", "b", "c"])
        // The download's file does not have its name yet.
        look.saw(["b": other, "c": other], of: ["a", "b", "c"])
        #expect(look.missing(for: desk.index).isEmpty)
        desk.finish("a")
        look.forget(desk.index.names(of: "a").union([".a.pawl-download"]))
        #expect(look.missing(for: desk.index) == ["a"])
        look.saw(["a": found(desk.file("a"))], of: ["a"])
        #expect(look.missing(for: desk.index).isEmpty)
        let actions = desk.index.handle(look.event(for: desk.index))
        #expect(actions.told == ["added b -", "added c -"])
        #expect(desk.index.entries["a"]?.file == desk.file("a"))
    }

    @Test func `a note seen before its download ended is ignored`() {
        var desk = IndexDesk()
        var look = FolderLook([.added(".a.pawl-download")])
        let order = PendingDownload(key: "a", name: "a", url: desk.url("a"))
        look.saw(
            [".a.pawl-download": FoundFile(stamp: other.stamp, pending: order)],
            of: [".a.pawl-download"]
        )
        desk.finish("a")
        look.forget([".a.pawl-download"])
        #expect(look.missing(for: desk.index) == [".a.pawl-download"])
        look.saw([:], of: [".a.pawl-download"])
        _ = desk.index.handle(look.event(for: desk.index))
        #expect(desk.index.entries["a"]?.download == nil)
        #expect(desk.index.entries["a"]?.file == desk.file("a"))
    }

    @Test func `a key's file under another name has its own name checked, too`() {
        var desk = IndexDesk()
        desk.finish("a")
        for isGone in [false, true] {
            var desk = desk
            var look = FolderLook([.added("b")])
            #expect(look.missing(for: desk.index) == ["b"])
            look.saw(["b": found(desk.file("a"))], of: ["b"])
            #expect(look.missing(for: desk.index) == ["a"])
            look.saw(isGone ? [:] : ["a": found(desk.file("a"))], of: ["a"])
            #expect(look.missing(for: desk.index).isEmpty)
            let told = desk.index.handle(look.event(for: desk.index)).told
            #expect(told == (isGone ? ["renamed a b a"] : ["added b -"]))
        }
    }

    @Test(arguments: [true, false])
    func `a key's file that is gone when it is checked is searched under other names`(
        isRenamed: Bool
    ) {
        var desk = IndexDesk()
        desk.finish("a")
        var look = FolderLook([.added("a"), .modified("b")])
        look.saw(["b": other], of: ["a", "b"])
        #expect(look.missing(for: desk.index).isEmpty)
        #expect(look.lost(for: desk.index) == ["a"])
        let files = isRenamed ? ["b": other.stamp, "c": desk.file("a").stamp] : ["b": other.stamp]
        look.searched(["a"], among: files, for: desk.index)
        #expect(look.lost(for: desk.index).isEmpty)
        #expect(look.missing(for: desk.index) == (isRenamed ? ["c"] : []))
        if isRenamed { look.saw(["c": found(desk.file("a"))], of: ["c"]) }
        #expect(look.missing(for: desk.index).isEmpty && look.lost(for: desk.index).isEmpty)
        let told = desk.index.handle(look.event(for: desk.index)).told
        #expect(told == [isRenamed ? "renamed a c a" : "removed a a", "added b -"])
        #expect(desk.index.entries["a"]?.file?.name == (isRenamed ? "c" : nil))
    }

    @Test func `a key's file that is removed and added under another name was renamed`() {
        var desk = IndexDesk()
        desk.finish("a")
        var look = FolderLook([.removed("a"), .added("b")])
        look.saw(["b": found(desk.file("a"))], of: ["b"])
        #expect(look.missing(for: desk.index) == ["a"])
        look.saw([:], of: ["a"])
        let told = desk.index.handle(look.event(for: desk.index)).told
        #expect(told == ["renamed a b a"])
    }

    @Test func `the names of a key include existing and planned ones`() {
        var desk = IndexDesk()
        #expect(desk.index.names(of: "a").isEmpty)
        desk.finish("a")
        #expect(desk.index.names(of: "a") == ["a"])
        desk.change("a")
        _ = desk.ask("a")
        #expect(desk.index.names(of: "a").isSuperset(of: ["a", "a.1"]))
    }
}
