import FoundationEssentials
import PawlCLI
import PawlCore
import PawlWire
import Testing

/// The table of `pawl list`, its order, and the displayed times.
@Suite(.timeLimit(.minutes(5)))
struct QueueTableTests {
    private static let now = Date(timeIntervalSince1970: 1_795_370_400)  // 2026-11-22T18:00:00Z
    private static let time = LocalTime { _ in 5 * 3600 + 1800 }

    private func download(
        _ id: Int64,
        _ state: TaskState,
        _ change: (inout WireDownload) -> Void = { _ in }
    ) -> WireDownload {
        var row = WireDownload(
            id: id,
            state: state,
            name: "file\(id)",
            url: "http://h/\(id)",
            createdAt: Self.now
        )
        change(&row)
        return row
    }

    private func table(_ rows: [WireDownload], columns: Int?) -> [String] {
        DownloadTable(now: Self.now, time: Self.time).text(rows, columns: columns)
            .split(separator: "\n").map(String.init)
    }

    private let longName = String(repeating: "a-long-name-", count: 20) + "end.iso"

    @Test func `names are complete in a pipe and shortened on a terminal`() {
        let rows = [
            download(1, .failed) { row in
                row.name = longName
                row.problem = Problem(DownloadError(.notFound, "the server answered 404"))
            }
        ]
        let pipe = table(rows, columns: nil)
        #expect(pipe[1].contains(" \(longName)  the server answered 404"))
        let terminal = table(rows, columns: 80)
        #expect(terminal[1].contains("…"))
        #expect(terminal[1].contains("end.iso"))
        #expect(terminal[1].hasSuffix("  the server answered 404"))
        #expect(terminal.allSatisfy { DisplayWidth.of($0) <= 80 })
    }

    @Test func `a running download shows its time left`() {
        let rows = [
            download(1, .running) { row in
                (row.completedBytes, row.totalBytes) = (10 << 20, 40 << 20)
                row.bytesPerSecond = 2 << 20
            }
        ]
        #expect(table(rows, columns: nil)[0].contains("SPEED  LEFT  NAME"))
        #expect(table(rows, columns: nil)[1].contains("2.00 MiB/s  0:15  file1"))
        #expect(DownloadReport.text(rows[0], time: Self.time).contains("time left    0:15\n"))
    }

    @Test func `the next retry and the start are displayed in local time with the reason`() {
        let rows = [
            download(1, .waiting) { row in
                row.failures = 3
                row.notBefore = Self.now.addingTimeInterval(90)
                row.problem = Problem(DownloadError(.serverBusy, "the server answered 503"))
            },
            download(2, .waiting) { $0.notBefore = Self.now.addingTimeInterval(86_400) },
        ]
        let lines = table(rows, columns: nil)
        #expect(lines[1].hasSuffix("file1  retries 23:31:30: the server answered 503"))
        #expect(lines[2].hasSuffix("file2  starts 2026-11-23 23:30"))
        let report = DownloadReport.text(rows[0], time: Self.time)
        #expect(report.contains("next retry   2026-11-22T23:31:30+05:30\n"))
        #expect(report.contains("added        2026-11-22T23:30:00+05:30\n"))
    }

    @Test func `without notes there is no column for them`() {
        let lines = table([download(1, .paused)], columns: nil)
        #expect(lines[0].hasSuffix("NAME"))
        #expect(lines[1].hasSuffix("file1"))
    }

    @Test(arguments: [
        (0, "2026-11-22T18:00:00+00:00"), (-12_600, "2026-11-22T14:30:00-03:30"),
        (50_400, "2026-11-23T08:00:00+14:00"),
    ])
    func `a local time has its offset from UTC and is a valid start time`(
        offset: Int64,
        text: String
    ) throws {
        #expect(LocalTime { _ in offset }.full(Self.now) == text)
        let context = StartTimeText.Context(now: 0) { _ in 1 }
        #expect(try StartTimeText.parse(text, context) == 1_795_370_400)
    }

    @Test func `the order is that of the queue`() {
        let rows = [
            download(1, .finished), download(2, .waiting), download(3, .paused) { $0.position = 0 },
            download(4, .waiting) { $0.priority = .high }, download(5, .running),
            download(6, .failed), download(7, .waiting) { $0.priority = .low },
            download(8, .waitingForConnectivity) { $0.position = -1 },
        ]
        #expect(rows.inQueueOrder.map(\.id) == [8, 5, 4, 3, 2, 7, 6, 1])
    }

    // MARK: - Verbs

    private let verbs = [
        "get", "list", "show", "pause", "resume", "remove", "events", "limit",
        "session",
    ]

    @Test(arguments: [
        ("lst", "list"), ("lits", "list"), ("shwo", "show"), ("remvoe", "remove"),
        ("resum", "resume"), ("ev", "events"), ("sess", "session"), ("pauze", "pause"),
        ("limt", "limit"),
        ("re", nil), ("x", nil), ("localhost", nil), ("download", nil),
    ])
    func `the nearest verb is found if there is one`(text: String, verb: String?) {
        #expect(SimilarWord.nearest(to: text, among: verbs) == verb)
    }

    @Test func `typing errors are counted`() {
        #expect(SimilarWord.distance("", "") == 0)
        #expect(SimilarWord.distance("list", "list") == 0)
        #expect(SimilarWord.distance("lsit", "list") == 1)
        #expect(SimilarWord.distance("", "list") == 4)
        #expect(SimilarWord.distance("show", "stop") == 2)
    }
}
