import Pawl
import PawlCore
import Testing

/// The state of a mirror: its text and the decisions that follow from it.
@Suite(.timeLimit(.minutes(5)))
struct MirrorStateTests {
    private var file: ListedFile {
        ListedFile(address: "https://host/a%09b", path: "sub/a b", facts: ListedFacts(exact: "1 x"))
    }

    private var stamp: FileStamp {
        FileStamp(device: 1, inode: 2, size: 3, modified: 4_000_000_005)
    }

    private func record() -> MirrorRecord {
        var version = ServerVersion()
        version.entityTag = "W/\"x\ty%\n\""
        return MirrorJudge.record(of: file, stamp, version)
    }

    /// A text with one record.
    private func text() -> String {
        var state = MirrorState(root: "https://host/ %", source: "0123")
        let line = state.set(record(), of: file.path) ?? ""
        #expect(state.set(record(), of: file.path) == nil)
        return state.head + line
    }

    @Test func `records survive the text`() throws {
        let state = try #require(MirrorState(Array(text().utf8)))
        #expect(state.root == "https://host/ %")
        #expect(state.source == "0123")
        #expect(state.record(of: file.path) == record())
        #expect(state.unseen == [file.path])
    }

    @Test func `the last line of a path counts, and a compact text has no other`() throws {
        var state = try #require(MirrorState(Array(text().utf8)))
        var changed = record()
        changed.facts = nil
        let more = state.set(changed, of: file.path) ?? ""
        let removed = state.set(nil, of: file.path) ?? ""
        let whole = text() + more
        #expect(MirrorState(Array(whole.utf8))?.record(of: file.path) == changed)
        #expect(MirrorState(Array((whole + removed).utf8))?.count == 0)
        var last = try #require(MirrorState(Array(whole.utf8)))
        #expect(last.compacted().split(separator: "\n").count == 2)
        #expect(MirrorState(Array(last.compacted().utf8))?.record(of: file.path) == changed)
    }

    @Test func `every damaged or shortened text loses only the lines that were hit`() {
        let text = Array(self.text().utf8)
        for index in text.indices {
            var damaged = text
            damaged[index] ^= 1
            let state = MirrorState(damaged)
            #expect(
                state == nil || state?.record(of: file.path) == nil
                    || state?.record(of: file.path) == record()
            )
            let short = MirrorState(Array(text[..<index]))
            #expect(short?.record(of: file.path) == nil || index == text.count - 1)
        }
        #expect(MirrorState([]) == nil)
        #expect(MirrorState(Array("pawl mirror 1".utf8)) == nil)
    }

    @Test func `a path that leads out of the folder is not read`() {
        var state = MirrorState(root: "x", source: "y")
        var text = state.head
        for path in ["../x", "/etc/x", ".ssh/x", "a/../../x"] {
            text += state.set(record(), of: path) ?? ""
        }
        #expect(MirrorState(Array(text.utf8))?.count == 0)
    }

    // MARK: - Decisions

    @Test func `a file is judged by its record, its stamp and the list`() {
        let record = record()
        #expect(MirrorJudge.step(for: file, nil, nil) == .fetch)
        #expect(MirrorJudge.step(for: file, record, nil) == .fetch)
        #expect(MirrorJudge.step(for: file, nil, stamp) == .compare(isKnown: false))
        #expect(MirrorJudge.step(for: file, record, stamp) == .unchanged)
        var other = file
        other.facts = ListedFacts(exact: "2 x")
        #expect(MirrorJudge.step(for: other, record, stamp) == .ask(record))
        other.facts = nil
        #expect(MirrorJudge.step(for: other, record, stamp) == .ask(record))
        other.address = "https://host/other"
        #expect(MirrorJudge.step(for: other, record, stamp) == .replace)
        var touched = stamp
        touched.modified += 1
        #expect(MirrorJudge.step(for: file, record, touched) == .compare(isKnown: true))
    }

    @Test func `the server's answer decides`() {
        var record = MirrorRecord(source: "x", size: 3, modified: 4)
        var now = ServerVersion()
        #expect(!MirrorJudge.isUnchanged(record, now))
        (record.entityTag, now.entityTag) = ("\"a\"", "\"a\"")
        #expect(MirrorJudge.isUnchanged(record, now))
        now.size = 4
        #expect(!MirrorJudge.isUnchanged(record, now))
        (now.size, now.entityTag) = (3, "\"b\"")
        now.lastModified = "Mon, 01 Jan 2024 00:00:00 GMT"
        record.lastModified = now.lastModified
        #expect(!MirrorJudge.isUnchanged(record, now))
        now.entityTag = nil
        #expect(MirrorJudge.isUnchanged(record, now))
        now.size = nil
        #expect(!MirrorJudge.isUnchanged(record, now))
        now.isConfirmed = true
        #expect(MirrorJudge.isUnchanged(record, now))
    }

    @Test func `a time counts only if the file could not change in the same second`() {
        var version = ServerVersion()
        version.lastModified = "Mon, 01 Jan 2024 00:00:00 GMT"
        let time = version.modifiedSeconds
        version.date = time
        #expect(MirrorJudge.record(of: file, stamp, version).lastModified == nil)
        version.date = time.map { $0 + 1 }
        #expect(MirrorJudge.record(of: file, stamp, version).lastModified != nil)
    }

    @Test func `a file of another tool is the same if its size and time are`() {
        var version = ServerVersion()
        version.size = 3
        version.lastModified = "Thu, 01 Jan 1970 00:00:04 GMT"
        #expect(MirrorJudge.isSame(stamp, version))
        version.size = 4
        #expect(!MirrorJudge.isSame(stamp, version))
        (version.size, version.lastModified) = (3, "Thu, 01 Jan 1970 00:00:05 GMT")
        #expect(!MirrorJudge.isSame(stamp, version))
    }
}
