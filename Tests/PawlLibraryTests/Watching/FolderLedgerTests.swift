import PawlCore
import PawlLibrary
import Testing

/// Contract: the watched folder with a slow reader.
@Suite(.timeLimit(.minutes(5)))
struct FolderLedgerTests {
    private static func file(_ inode: UInt64) -> FileStamp {
        FileStamp(device: 1, inode: inode, size: 10, modified: 0)
    }

    @Test func `a name that changes often is checked once`() {
        var ledger = FolderLedger(known: [:])
        #expect(ledger.work == .nothing)
        for _ in 0..<10_000 { ledger.noted("a") }
        #expect(ledger.work == .check(["a"]))
        #expect(ledger.checked(["a"], found: ["a": Self.file(1)]) == [.added("a")])
        #expect(ledger.work == .nothing)
        #expect(ledger.known == ["a": Self.file(1)])
    }

    @Test func `a file that appeared and disappeared unseen is not reported`() {
        var ledger = FolderLedger(known: [:])
        ledger.noted("a")
        #expect(ledger.checked(["a"], found: [:]) == [])
    }

    @Test func `checking one name does not affect others`() {
        var ledger = FolderLedger(known: ["a": Self.file(1), "b": Self.file(2)])
        ledger.noted("b")
        #expect(ledger.checked(["b"], found: [:]) == [.removed("b")])
        #expect(ledger.known == ["a": Self.file(1)])
    }

    @Test func `a name that changed during a check is checked again`() {
        var ledger = FolderLedger(known: [:])
        ledger.noted("a")
        ledger.noted("b")
        _ = ledger.checked(["a"], found: [:])
        #expect(ledger.work == .check(["b"]))
    }

    @Test func `a file is missing for a known reason only after its departure`() {
        var ledger = FolderLedger(known: ["a": Self.file(1)])
        ledger.noted("a")
        ledger.noted("b")
        #expect(ledger.explains(["a", "b"], found: ["a": Self.file(1)]))
        #expect(!ledger.explains(["a", "b"], found: [:]))
        ledger.noted("a", isDeparture: true)
        #expect(ledger.explains(["a", "b"], found: [:]))
        // Another file came, and has left since then.
        ledger.noted("a")
        #expect(!ledger.explains(["a"], found: [:]))
    }

    @Test func `too many names lead to a rescan`() {
        var ledger = FolderLedger(known: ["old": Self.file(1)])
        for number in 0...FolderLedger.mostNames { ledger.noted(ExactText("\(number)")) }
        #expect(ledger.work == .rescan)
        // Nothing was lost: it is not reported as an overflow.
        #expect(
            ledger.rescanned(found: ["new": Self.file(1)]) == [.renamed(from: "old", to: "new")]
        )
        #expect(ledger.work == .nothing)
    }

    @Test func `an overflow is reported, and a rescan finds the changes`() {
        var ledger = FolderLedger(known: ["a": Self.file(1)])
        ledger.noted("a")
        ledger.overflowed()
        #expect(ledger.work == .rescan)
        #expect(
            ledger.rescanned(found: ["b": Self.file(2)])
                == [.overflowed, .removed("a"), .added("b")]
        )
        #expect(ledger.work == .nothing)
    }
}
