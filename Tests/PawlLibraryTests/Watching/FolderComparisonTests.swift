import PawlCore
import PawlLibrary
import PawlTesting
import Testing

/// Contract: the watched folder, "deleted, renamed, replaced or added files".
@Suite(.timeLimit(.minutes(5)))
struct FolderComparisonTests {
    private typealias Files = FolderComparison.Files

    private static func file(_ inode: UInt64, _ modified: Int64 = 0) -> FileStamp {
        FileStamp(device: 1, inode: inode, size: 10, modified: modified)
    }

    /// Applies the changes as a reader would.
    ///
    /// Returns `nil` if a change cannot be applied.
    private static func follow(_ changes: [FolderChange], from old: Files, to new: Files) -> Files?
    {
        var files = old
        for change in changes {
            switch change {
            case .added(let name):
                guard files[name] == nil else { return nil }
                files[name] = new[name]
            case .modified(let name):
                guard files[name] != nil else { return nil }
                files[name] = new[name]
            case .removed(let name):
                guard files.removeValue(forKey: name) != nil else { return nil }
            case .renamed(let old, let new):
                guard let file = files.removeValue(forKey: old) else { return nil }
                files[new] = file
            case .overflowed, .ended: return nil
            }
        }
        return files
    }

    private static func changes(_ old: Files, _ new: Files) -> [FolderChange] {
        FolderComparison.changes(from: old, to: new)
    }

    @Test func `each kind of change is recognized`() {
        let old: Files = [
            "same": Self.file(1), "gone": Self.file(2), "edited": Self.file(3), "old": Self.file(4),
            "replaced": Self.file(5),
        ]
        let new: Files = [
            "same": Self.file(1), "new": Self.file(6), "edited": Self.file(3, 1),
            "name": Self.file(4), "replaced": Self.file(7),
        ]
        #expect(
            Self.changes(old, new) == [
                .removed("gone"), .renamed(from: "old", to: "name"), .modified("edited"),
                .added("new"), .modified("replaced"),
            ]
        )
        #expect(Self.changes(old, old) == [])
    }

    @Test func `a file renamed over another is one change`() {
        let old: Files = ["a": Self.file(1), "b": Self.file(2)]
        #expect(Self.changes(old, ["b": Self.file(1)]) == [.renamed(from: "a", to: "b")])
    }

    @Test func `a chain of renames is reported from its end`() {
        let old: Files = ["log": Self.file(1), "log.1": Self.file(2), "log.2": Self.file(3)]
        let new: Files = ["log": Self.file(4), "log.1": Self.file(1), "log.2": Self.file(2)]
        #expect(
            Self.changes(old, new) == [
                .renamed(from: "log.1", to: "log.2"), .renamed(from: "log", to: "log.1"),
                .added("log"),
            ]
        )
    }

    @Test func `files that swapped names are modified`() {
        let old: Files = ["a": Self.file(1), "b": Self.file(2)]
        let new: Files = ["a": Self.file(2), "b": Self.file(1)]
        #expect(Self.changes(old, new) == [.modified("a"), .modified("b")])
    }

    @Test func `a second name of a file is not a rename`() {
        let old: Files = ["a": Self.file(1)]
        let new: Files = ["a": Self.file(1), "b": Self.file(1)]
        #expect(Self.changes(old, new) == [.added("b")])
        #expect(Self.changes(new, old) == [.removed("b")])
    }

    @Test func `a reused inode is not a rename`() {
        let old: Files = ["a": Self.file(1)]
        let new: Files = ["b": Self.file(1, 99)]
        #expect(Self.changes(old, new) == [.removed("a"), .added("b")])
    }

    @Test func `random changes can be applied and lead to the folder`() {
        var random = TestSeed.generator("folder comparisons")
        for _ in 0..<5_000 {
            func files() -> Files {
                let all: [ExactText] = ["a", "b", "c", "d", "e", "f"]
                let names = all.filter { _ in Bool.random(using: &random) }
                return Dictionary(
                    uniqueKeysWithValues: names.map {
                        ($0, Self.file(.random(in: 1...6, using: &random)))
                    }
                )
            }
            let (old, new) = (files(), files())
            let changes = Self.changes(old, new)
            #expect(Self.follow(changes, from: old, to: new) == new, "\(old) to \(new): \(changes)")
        }
    }
}
