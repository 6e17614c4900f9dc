import Glibc
import PawlCore
import PawlDaemon
import PawlTesting
import PawlWire
import Testing

@Suite(.timeLimit(.minutes(5)))
struct AuditLogTests {
    private func entries(_ folder: ScratchFolder, _ name: String = "audit.log") throws
        -> [AuditEntry]
    {
        try folder.readText(name).split(separator: "\n").map {
            try WireJSON.decode(AuditEntry.self, from: $0.utf8)
        }
    }

    private func record(
        _ log: AuditLog,
        by authority: Authority,
        changed: [Int64] = [],
        status: Int = 200
    ) {
        log.record(
            "POST /v1/downloads",
            by: authority,
            at: authority == .user ? nil : IPAddress("192.0.2.7"),
            changed: changed,
            status: status
        )
    }

    @Test func `a line contains who did what, from where, and with which outcome`() throws {
        let folder = try ScratchFolder()
        let log = AuditLog(path: folder.path("audit.log"))
        record(log, by: .user)
        record(log, by: .page, changed: [7], status: 201)
        record(log, by: .token("phone", .add), changed: Array(1...1000), status: 201)
        record(log, by: .nobody, status: 401)
        let lines = try entries(folder)
        #expect(lines.map(\.who) == [.socket, .page, .token, .nobody])
        #expect(lines.map(\.token) == [nil, nil, "phone", nil])
        #expect(lines.map(\.client) == [nil, "192.0.2.7", "192.0.2.7", "192.0.2.7"])
        #expect(lines.map(\.status) == [200, 201, 201, 401])
        #expect(lines.map(\.count) == [nil, 1, 1000, nil])
        #expect(lines[1].downloads == [7])
        #expect(lines[2].downloads == Array(1...20))
        #expect(lines.allSatisfy { $0.request == "POST /v1/downloads" && $0.omitted == nil })
        var status = stat()
        #expect(stat(folder.path("audit.log"), &status) == 0 && status.st_mode & 0o777 == 0o600)
    }

    @Test func `the log is bounded, and the previous file is kept`() throws {
        let folder = try ScratchFolder()
        let log = AuditLog(path: folder.path("audit.log"), mostBytes: 2000)
        for number in 1...100 { record(log, by: .page, changed: [Int64(number)]) }
        #expect(Set(folder.list()) == ["audit.log", "audit.log.1"])
        let (before, now) = (try entries(folder, "audit.log.1"), try entries(folder))
        let numbers = (before + now).compactMap(\.downloads?.first)
        #expect(numbers.count > 10 && numbers.last == 100)
        #expect(numbers == Array((101 - Int64(numbers.count))...100))
        for name in folder.list() { #expect(try #require(folder.size(name)) < 2300) }
    }

    @Test(.enabled(if: MemoryDisk.isAvailable))
    func `a line of which only a part was written damages no other line`() throws {
        let disk = try #require(try MemoryDisk(bytes: 1 << 20))
        let folder = try ScratchFolder(in: disk.path)
        let log = AuditLog(path: folder.path("audit.log"))
        record(log, by: .page, changed: [1])
        // A page is all that is left, so that a line ends within it.
        var filled = 0
        let filler = try folder.write("filler", "")
        let file = open(filler, O_WRONLY | O_APPEND)
        let page = [UInt8](repeating: 1, count: 4096)
        while write(file, page, page.count) == page.count { filled += 1 }
        close(file)
        #expect(filled > 0)
        while try folder.readText("audit.log").hasSuffix("\n") {
            record(log, by: .page, changed: [2])
        }
        #expect(truncate(filler, 0) == 0)
        record(log, by: .page, changed: [3])
        // The same after a restart of the daemon.
        let lines = try folder.readText("audit.log")
        try folder.write("audit.log", lines + "{\"time\":")
        record(AuditLog(path: folder.path("audit.log")), by: .page, changed: [4])
        let read = try folder.readText("audit.log").split(separator: "\n").map {
            try? WireJSON.decode(AuditEntry.self, from: $0.utf8)
        }
        // The two lines that were cut.
        #expect(read.filter { $0 == nil }.count == 2)
        #expect(read.compactMap { $0?.downloads?.first }.first == 1)
        #expect(read.compactMap { $0?.downloads?.first }.suffix(2) == [3, 4])
    }

    @Test func `a client without a token cannot push the others out`() throws {
        let folder = try ScratchFolder()
        let log = AuditLog(path: folder.path("audit.log"))
        record(log, by: .page)
        for _ in 0..<1000 { record(log, by: .nobody, status: 401) }
        record(log, by: .page)
        #expect(try entries(folder).count == AuditAllowance.most + 2)
    }

    @Test func `the next line has the number of those left out`() {
        var allowance = AuditAllowance()
        let start = ContinuousClock.now
        for _ in 0..<AuditAllowance.most { #expect(allowance.take(at: start) == 0) }
        for _ in 0..<7 { #expect(allowance.take(at: start) == nil) }
        let later = start.advanced(by: AuditAllowance.period)
        #expect(allowance.take(at: later) == 7)
        #expect(allowance.take(at: later) == 0)
    }

    @Test func `a request is shown without texts of the client`() {
        for (method, path, shown) in [
            ("POST", "/v1/downloads", "POST /v1/downloads"),
            ("POST", "/v1/actions/pause", "POST /v1/actions/pause"),
            ("POST", "/v1/actions/private", "POST /v1/actions/{action}"),
            ("DELETE", "/v1/sessions", "DELETE /v1/sessions"), ("POST", "/private", "other"),
            ("PRIVATE", "/v1/downloads", "other"), ("POST", "/", "other"),
        ] {
            #expect(APIRoute.shownName(of: method, path) == shown)
        }
    }
}
