import PawlCLI
import PawlCore
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5)))
struct StreamDisplayTests {
    @Test func `JSON events have their documented format`() throws {
        let lines = Lines()
        var display = JSONDisplay { lines.add($0) }
        var progress = sample
        display.show(run(progress), at: .zero)
        display.show(run(progress), at: .zero + .milliseconds(100))
        progress.totalBytes = nil
        progress.phase = .retrying
        display.show(run(progress), at: .zero + .milliseconds(200))
        display.ended(ended(.success(file())))
        display.ended(
            ended(.failure(DownloadError(.notFound, "no such file", advice: "check the URL")))
        )
        #expect(lines.all.count == 4, "what did not change is not written again")
        try Snapshot.expect(
            lines.all.joined(separator: "\n") + "\n",
            matches: "progress-events.json"
        )
    }

    @Test func `a log has one line at the start, every five seconds and at the end`() throws {
        let lines = Lines()
        var display = PlainDisplay(style: TerminalStyle(isUnicode: true, hasColours: false)) {
            lines.add($0)
        }
        var progress = sample
        progress.resumedBytes = progress.completedBytes
        progress.phase = .connecting
        display.show(run(progress), at: .zero)
        #expect(lines.all.isEmpty)
        progress.phase = .receiving
        for tick in 0..<110 {
            display.show(run(progress), at: .zero + .milliseconds(100 * tick))
        }
        display.ended(ended(.success(file())))
        #expect(
            lines.all == [
                "disk.iso: 629 MiB, resumes at 277/629 MiB",
                "disk.iso: 43%, 277/629 MiB, 24.1 MiB/s, 0:15 left, 8 connections",
                "disk.iso: 43%, 277/629 MiB, 24.1 MiB/s, 0:15 left, 8 connections",
                "/tmp/disk.iso: 629 MiB in 26 s, 24.2 MiB/s, verified md5",
            ]
        )
    }

    @Test func `waiting for the network is reported immediately and once`() {
        let lines = Lines()
        var display = PlainDisplay(style: TerminalStyle(isUnicode: true, hasColours: false)) {
            lines.add($0)
        }
        var progress = sample
        display.show(run(progress), at: .zero)
        for phase in [DownloadPhase.waitingForConnectivity, .receiving, .waitingForConnectivity] {
            progress.phase = phase
            for tick in 1...3 {
                display.show(run(progress), at: .zero + .milliseconds(100 * tick))
            }
        }
        let waiting = "disk.iso: 43%, 277/629 MiB, no network"
        #expect(lines.all == ["disk.iso: 629 MiB", waiting, waiting])
    }

    @Test func `the final message contains the received bytes and the speed`() {
        let style = TerminalStyle(isUnicode: true, hasColours: false)
        func sentence(fetched: Int64, _ elapsed: Duration) -> String {
            var file = file()
            file.verifiedDigest = nil
            var ended = ended(.success(file))
            ended.fetchedBytes = fetched
            ended.elapsed = elapsed
            return ResultMessage.finished(file, ended, style: style)
        }
        #expect(
            sentence(fetched: 31_457_280, .seconds(2))
                == "/tmp/disk.iso: 629 MiB, the last 30.0 MiB in 2.0 s, 15.0 MiB/s"
        )
        #expect(
            sentence(fetched: 1024, .milliseconds(3))
                == "/tmp/disk.iso: 629 MiB, the last 1.00 KiB in 0.0 s"
        )
        #expect(
            sentence(fetched: 0, .milliseconds(300))
                == "/tmp/disk.iso: 629 MiB, all bytes were received earlier"
        )
    }

    @Test func `names in JSON and logs contain no control characters`() {
        let lines = Lines()
        var progress = sample
        progress.name = "a\u{1B}[2Jb"
        var json = JSONDisplay { lines.add($0) }
        json.show(run(progress), at: .zero)
        var plain = PlainDisplay(style: TerminalStyle(isUnicode: true, hasColours: false)) {
            lines.add($0)
        }
        plain.show(run(progress), at: .zero)
        #expect(lines.all.count == 2)
        #expect(lines.all.allSatisfy { $0.contains("a\u{FFFD}[2Jb") })
    }

    private var sample: DownloadProgress {
        var progress = DownloadProgress()
        progress.name = "disk.iso"
        progress.phase = .receiving
        progress.totalBytes = 659_554_304
        progress.completedBytes = 289_931_264
        progress.bytesPerSecond = 25_270_681.4
        progress.connections = 8
        return progress
    }

    private func run(_ progress: DownloadProgress) -> RunSnapshot {
        var run = RunSnapshot()
        run.requestedCount = 1
        run.running = [RunningDownload(id: 1, source: "https://host/disk.iso", progress: progress)]
        return run
    }

    private func file() -> DownloadedFile {
        var file = DownloadedFile(path: "/tmp/disk.iso", byteCount: 659_554_304)
        file.verifiedDigest = ContentDigest(
            .md5,
            hexadecimal: "d41d8cd98f00b204e9800998ecf8427e"
        )
        return file
    }

    private func ended(_ result: Result<DownloadedFile, DownloadError>) -> EndedDownload {
        var ended = EndedDownload(
            id: 1,
            source: "https://host/disk.iso",
            name: "disk.iso",
            result: result
        )
        ended.elapsed = .seconds(26)
        ended.fetchedBytes = 659_554_304
        return ended
    }
}

private final class Lines: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    func add(_ line: String) { lines.withLock { $0.append(line) } }
}
