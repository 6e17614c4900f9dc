import PawlCLI
import PawlCore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ProgressLineTests {
    private static let unicode = TerminalStyle(isUnicode: true, hasColours: false)
    private static let ascii = TerminalStyle(isUnicode: false, hasColours: false)
    private static let colours = TerminalStyle(isUnicode: true, hasColours: true)

    @Test func `no line is too wide, whatever the name and the phase`() {
        for name in hostileNames {
            for progress in Self.states(named: name) {
                for width in 0...200 {
                    expectFits(progress, width, Self.unicode)
                    expectFits(progress, width, Self.ascii)
                }
            }
        }
    }

    @Test func `colours do not count as width`() {
        for progress in Self.states(named: "disk.iso") {
            for width in [20, 40, 79, 120] {
                let plain = ProgressLine.render(progress, width: width, style: Self.unicode)
                let coloured = ProgressLine.render(progress, width: width, style: Self.colours)
                #expect(withoutColours(coloured).trimmedEnd == plain.trimmedEnd)
            }
        }
    }

    @Test func `wider lines show more`() throws {
        var text = ""
        for progress in Self.states(named: "debian-12.5.0-amd64-netinst.iso") {
            for width in [19, 39, 59, 79, 119] {
                text += ProgressLine.render(progress, width: width, style: Self.unicode) + "\n"
            }
            text += "\n"
        }
        let receiving = Self.receiving(named: "日本語のファイル名.tar.gz")
        text += ProgressLine.render(receiving, width: 79, style: Self.unicode) + "\n"
        text += ProgressLine.render(receiving, width: 79, style: Self.ascii) + "\n"
        try Snapshot.expect(text, matches: "progress-lines.txt")
    }

    @Test func `the figures of several lines are aligned`() {
        let layout = ProgressLayout(width: 79, longestName: 20)
        let lines = ["a.iso", "日本語.iso", "a-longer-name.tar.gz"].map {
            ProgressLine.render(Self.receiving(named: $0), layout: layout, style: Self.unicode)
        }
        let columns = lines.map { line in
            line.firstIndex(of: "▕").map { DisplayWidth.of(String(line[..<$0])) }
        }
        #expect(Set(columns).count == 1)
        #expect(columns.first != .some(nil))
    }

    @Test func `an unknown size shows a moving mark instead of a percentage`() {
        let progress = Self.unknownSize(named: "stream.bin")
        let lines = (0..<6).map {
            ProgressLine.render(progress, width: 79, style: Self.unicode, frame: $0)
        }
        #expect(Set(lines).count > 1)
        #expect(lines.allSatisfy { !$0.contains("%") })
    }

    @Test func `100 percent is shown only for a complete file`() {
        var progress = Self.receiving(named: "a")
        progress.totalBytes = 1_000_000
        progress.completedBytes = 999_999
        #expect(ProgressLine.render(progress, width: 79, style: Self.unicode).contains(" 99%"))
        progress.completedBytes = 1_000_000
        #expect(ProgressLine.render(progress, width: 79, style: Self.unicode).contains("100%"))
    }

    @Test func `no text controls the terminal`() {
        for name in hostileNames {
            let line = ProgressLine.render(
                Self.receiving(named: name),
                width: 120,
                style: Self.unicode
            )
            #expect(!line.unicodeScalars.contains { $0.isUnsafeToShow })
        }
    }

    private func expectFits(_ progress: DownloadProgress, _ width: Int, _ style: TerminalStyle) {
        let line = ProgressLine.render(progress, width: width, style: style, frame: width)
        if DisplayWidth.of(line) > width {
            Issue.record("\(width) columns, \(progress.phase): \(line.debugDescription)")
        }
    }

    private static func states(named name: String) -> [DownloadProgress] {
        var all = [receiving(named: name), unknownSize(named: name)]
        for phase in [
            DownloadPhase.waiting, .connecting, .retrying, .waitingForConnectivity, .verifying,
            .finished,
            .failed,
        ] {
            var progress = receiving(named: name)
            progress.phase = phase
            all.append(progress)
        }
        var huge = receiving(named: name)
        huge.totalBytes = .max
        huge.completedBytes = .max - 1
        huge.bytesPerSecond = .infinity
        huge.connections = 1000
        return all + [huge]
    }

    private static func receiving(named name: String) -> DownloadProgress {
        var progress = DownloadProgress()
        progress.name = name
        progress.phase = .receiving
        progress.totalBytes = 659_554_304
        progress.completedBytes = 289_931_264
        progress.bytesPerSecond = 25_270_681
        progress.connections = 8
        return progress
    }

    private static func unknownSize(named name: String) -> DownloadProgress {
        var progress = receiving(named: name)
        progress.totalBytes = nil
        return progress
    }
}

func withoutColours(_ text: String) -> String {
    text.replacing(/\u{1B}\[[0-9;]*m/, with: "")
}

extension String {
    fileprivate var trimmedEnd: String {
        lastIndex { $0 != " " }.map { String(self[...$0]) } ?? ""
    }
}
