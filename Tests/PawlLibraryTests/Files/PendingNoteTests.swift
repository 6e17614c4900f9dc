import struct FoundationEssentials.URL
import Glibc
import PawlCore
import PawlLibrary
import PawlStorage
import PawlTesting
import SystemPackage
import Testing

@Suite(.timeLimit(.minutes(5)))
struct PendingNoteTests {
    private func pending(_ key: StorageKey, name: ExactText = "a") -> PendingDownload {
        PendingDownload(key: key, name: name, url: URL(string: "http://example.org/a"))
    }

    @Test func `a note is written atomically, for the user alone, and removed`() throws {
        let folder = try ScratchFolder()
        let path = FilePath(folder.path)
        let note = try PendingNote.acquire(pending("a b"), in: path)
        #expect(folder.list() == [".a%20b.pawl-download"])
        #expect(PendingNote.read(PendingNote.path(of: "a b", in: path)) == pending("a b"))
        var status = stat()
        #expect(stat(folder.path(".a%20b.pawl-download"), &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        try note.remove()
        try note.remove()
        #expect(folder.list() == [])
    }

    @Test func `a lock on another file with the same inode does not hold the key`() throws {
        let folder = try ScratchFolder()
        let path = FilePath(folder.path)
        let note = try PendingNote.acquire(pending("a"), in: path)
        let file = PendingNote.path(of: "a", in: path)
        let number = folder.status(".a.pawl-download").st_ino
        // The form in which some file systems report the lock: the kernel sees another device than
        // programs.
        let owners = PendingOwners("1: FLOCK  ADVISORY  WRITE \(getpid()) ff:ff:\(number) 0 EOF\n")
        #expect(owners.owner(of: file) == .some(getpid()))
        note.release()
        // This process no longer has such a file open: its lock is on another one.
        #expect(owners.owner(of: file) == .none)
    }

    @Test func `a key that the daemon has is left to the library with its session`() throws {
        let folder = try ScratchFolder()
        let path = FilePath(folder.path)
        var ours = pending("a")
        ours.background = PendingDownload.Background(session: "films", task: 7)
        try PendingNote.acquire(ours, in: path, session: "films").release()
        let file = PendingNote.path(of: "a", in: path)
        // One that does not know of it would begin a second download.
        for (new, session) in [(ours, nil), (ours, "other"), (pending("a"), "films")] {
            let error = failure { _ = try PendingNote.acquire(new, in: path, session: session) }
            #expect(error?.code == .alreadyRunning)
            #expect(error?.message.contains("'films'") == true)
            #expect(PendingNote.read(file) == ours)
        }
        try PendingNote.acquire(ours, in: path, session: "films").release()
        // A download that has failed has ended in the daemon.
        ours.failure = PendingDownload.Failure(DownloadError(.notFound, "no such file"))
        try PendingNote.save(ours, in: path, session: "films")
        try PendingNote.acquire(pending("a"), in: path).release()
        #expect(PendingNote.read(file) == pending("a"))
    }

    @Test func `one owner holds a key, even while the note changes`() throws {
        let folder = try ScratchFolder()
        let path = FilePath(folder.path)
        let note = try PendingNote.acquire(pending("a"), in: path)
        for name: ExactText in ["b", "c"] {
            let error = failure { _ = try PendingNote.acquire(pending("a", name: "x"), in: path) }
            #expect(error?.code == .alreadyRunning)
            try note.write(pending("a", name: name))
            #expect(PendingNote.read(PendingNote.path(of: "a", in: path))?.name == name)
        }
        // Others do not overwrite a note that is held.
        try PendingNote.save(pending("a", name: "x"), in: path)
        #expect(PendingNote.read(PendingNote.path(of: "a", in: path))?.name == "c")
        note.release()
        try PendingNote.save(pending("a", name: "x"), in: path)
        let next = try PendingNote.acquire(pending("a", name: "y"), in: path)
        #expect(PendingNote.read(PendingNote.path(of: "a", in: path))?.name == "y")
        // The old holder can no longer change it.
        try note.remove()
        try note.write(pending("a", name: "z"))
        #expect(folder.list() == [".a.pawl-download"])
        try next.remove()
        #expect(folder.list() == [])
    }

    @Test func `an ended download is recorded only if a note exists`() throws {
        let folder = try ScratchFolder()
        let path = FilePath(folder.path)
        // Another process has finished the download and removed the note.
        try PendingNote.save(pending("a"), in: path, creates: false)
        #expect(folder.list() == [])
        #expect(try PendingNote.take("a", in: path) == nil)
        try PendingNote.acquire(pending("a"), in: path).release()
        try PendingNote.save(pending("a", name: "b"), in: path, creates: false)
        let taken = try #require(try PendingNote.take("a", in: path))
        #expect(taken.pending.name == "b")
        #expect(try PendingNote.take("a", in: path) == nil)
        taken.note.release()
    }

    @Test func `a note moved to another name is ignored`() throws {
        let folder = try ScratchFolder()
        let path = FilePath(folder.path)
        let note = try PendingNote.acquire(pending("a"), in: path)
        let other = folder.path(".b.pawl-download")
        #expect(rename(folder.path(".a.pawl-download"), other) == 0)
        #expect(PendingNote.read(FilePath(other)) == nil)
        // The holder does not treat it as its own either.
        try note.remove()
        #expect(folder.list() == [".b.pawl-download"])
    }

    @Test func `a removed note is not written again`() throws {
        let folder = try ScratchFolder()
        let path = FilePath(folder.path)
        let note = try PendingNote.acquire(pending("a"), in: path)
        #expect(unlink(folder.path(".a.pawl-download")) == 0)
        try note.write(pending("a", name: "b"))
        #expect(folder.list() == [])
        // Another process takes the key.
        let next = try PendingNote.acquire(pending("a", name: "c"), in: path)
        try note.write(pending("a", name: "b"))
        #expect(PendingNote.read(PendingNote.path(of: "a", in: path))?.name == "c")
        try next.remove()
    }

    @Test func `a note is not written into a folder that took the place of its own`() throws {
        let folder = try ScratchFolder()
        let path = FilePath(folder.path("library"))
        #expect(mkdir(path.string, 0o700) == 0)
        let note = try PendingNote.acquire(pending("a"), in: path)
        #expect(rename(path.string, folder.path("moved")) == 0)
        // There is no folder at first.
        try note.write(pending("a", name: "b"))
        #expect(mkdir(path.string, 0o700) == 0)
        try note.write(pending("a", name: "b"))
        #expect(rmdir(path.string) == 0, "the new folder is empty")
        #expect(unlink(folder.path("moved/.a.pawl-download")) == 0)
        #expect(rmdir(folder.path("moved")) == 0)
    }

    @Test func `many attempts at one key at the same time take turns`() async throws {
        let folder = try ScratchFolder()
        let path = FilePath(folder.path)
        let holders = Observed(0)
        let pending = pending("a")
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for round in 0..<50 {
                        // A task whose attempt fails tries again.
                        guard let note = try? PendingNote.acquire(pending, in: path) else {
                            continue
                        }
                        #expect(
                            holders.update {
                                $0 += 1; return $0
                            } == 1
                        )
                        holders.update { $0 -= 1 }
                        if round.isMultiple(of: 2) { note.release() } else { try? note.remove() }
                    }
                }
            }
        }
        #expect(Set(folder.list()).isSubset(of: [".a.pawl-download"]))
    }
}
