import Glibc
import Pawl
import PawlCore
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct DaemonLogFileTests {
    private func append(_ text: String, to file: Int32) {
        #expect(write(file, text, text.utf8.count) == text.utf8.count)
    }

    @Test func `a log that has become too large is rotated while it is written`() throws {
        let folder = try ScratchFolder()
        let log = DaemonLogFile(path: folder.path("daemon.log"), mostBytes: 10)
        let file = log.open()
        defer { close(file) }
        append("0123456789", to: file)
        log.renew([file])
        #expect(folder.list() == ["daemon.log"])
        append("!", to: file)
        log.renew([file])
        append("new", to: file)
        #expect(try folder.readText("daemon.log.1") == "0123456789!")
        #expect(try folder.readText("daemon.log") == "new")
        // The same at the next start.
        append("0123456789", to: file)
        let second = log.open()
        defer { close(second) }
        append("next", to: second)
        #expect(try folder.readText("daemon.log.1") == "new0123456789")
        #expect(try folder.readText("daemon.log") == "next")
    }

    @Test func `a process that writes to another file keeps that file`() throws {
        let folder = try ScratchFolder()
        let log = DaemonLogFile(path: folder.path("daemon.log"), mostBytes: 10)
        let file = log.open()
        defer { close(file) }
        append("a line that is too long", to: file)
        rename(folder.path("daemon.log"), folder.path("away"))
        try folder.write("daemon.log", "somebody else's")
        log.renew([file])
        #expect(folder.list().sorted() == ["away", "daemon.log"])
        #expect(try folder.readText("daemon.log") == "somebody else's")
    }

    @Test func `only a regular file is read, and the previous one if it has too few lines`() throws
    {
        let folder = try ScratchFolder()
        let log = DaemonLogFile(path: folder.path("daemon.log"))
        #expect(try log.lastLines(3).isEmpty)
        try folder.write("daemon.log.1", "a\nb\n")
        try folder.write("daemon.log", "c\nd\n")
        #expect(try log.lastLines(3) == ["b", "c", "d"])
        unlink(folder.path("daemon.log"))
        // Opening it would wait for a writer.
        #expect(mkfifo(folder.path("daemon.log"), 0o600) == 0)
        #expect(throws: DownloadError.self) { try log.lastLines(3) }
    }
}
