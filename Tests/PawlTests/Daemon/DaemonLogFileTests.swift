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

    @Test func `lines that are rotated while they are read are returned once`() throws {
        let folder = try ScratchFolder()
        let log = DaemonLogFile(path: folder.path("daemon.log"), mostBytes: 10)
        try folder.write("daemon.log.1", "a\nb\n")
        try folder.write("daemon.log", "c\nd\n")
        var isFirst = true
        let lines = try log.lastLines(10) {
            guard isFirst else { return }
            isFirst = false
            rename(folder.path("daemon.log"), folder.path("daemon.log.1"))
            #expect((try? folder.write("daemon.log", "e\n")) != nil)
        }
        #expect(lines == ["c", "d", "e"])
    }

    @Test func `lines may end with CR LF`() throws {
        let folder = try ScratchFolder()
        let log = DaemonLogFile(path: folder.path("daemon.log"))
        try folder.write("daemon.log", "a\r\nb\r\nc\n")
        #expect(try log.lastLines(2) == ["b", "c"])
        #expect(try log.lastLines(9) == ["a", "b", "c"])
    }

    @Test func `the lines of a long log are complete`() throws {
        let folder = try ScratchFolder()
        let log = DaemonLogFile(path: folder.path("daemon.log"))
        // Together longer than what is read of a file; the last one has no end.
        let lines = (0..<100_000).map { "\($0) " + String(repeating: "专", count: 20 + $0 % 40) }
        try folder.write("daemon.log.1", "first\n")
        try folder.write("daemon.log", lines.joined(separator: "\n\n"))
        for count in [1, 2, 1000] {
            #expect(try log.lastLines(count).map(String.init) == Array(lines.suffix(count)))
        }
        let most = try log.lastLines(99_000).map(String.init)
        #expect(most.count > 50_000 && most.count < 99_000)
        #expect(most == Array(lines.suffix(most.count)))
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
