import PawlCLI
import PawlCore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct LiveDisplayTests {
    private let style = TerminalStyle(isUnicode: true, hasColours: false)

    @Test func `the block never reaches the last row or the last column`() {
        for columns in [2, 10, 20, 40, 80, 200] {
            for rows in 1...12 {
                for count in 1...12 {
                    let lines = draw(run(running: count, requested: count), columns, rows)
                    #expect(lines.count <= max(1, rows - 1), "\(rows) rows, \(count) running")
                    #expect(lines.allSatisfy { DisplayWidth.of($0) < columns })
                }
            }
        }
    }

    @Test func `one download has one line and no total`() {
        let lines = draw(run(running: 1, requested: 1), 80, 24)
        #expect(lines.count == 1)
        #expect(lines.first?.hasPrefix("file-1.iso") == true)
    }

    @Test func `several downloads have a total below them`() throws {
        var run = run(running: 3, requested: 12)
        run.endedCount = 2
        run.failedCount = 1
        let lines = draw(run, 100, 24)
        #expect(lines.count == 4)
        #expect(lines.last?.hasPrefix("2/12, 1 failed") == true)
        try Snapshot.expect(lines.joined(separator: "\n") + "\n", matches: "several-downloads.txt")
    }

    @Test func `downloads that do not fit are counted`() {
        let lines = draw(run(running: 20, requested: 20), 80, 10)
        #expect(lines.count == 9)
        #expect(lines.dropLast().last == "… and 13 more")
    }

    @Test func `the total is shown only when each size is known`() {
        var run = run(running: 2, requested: 3)
        #expect(run.sum.totalBytes == nil)
        run.endedCount = 1
        run.finishedBytes = 500
        #expect(run.sum.totalBytes == 2500)
        #expect(run.sum.completedBytes == 1300)
        run.running[0].progress.totalBytes = nil
        #expect(run.sum.totalBytes == nil)
    }

    private func draw(_ run: RunSnapshot, _ columns: Int, _ rows: Int) -> [String] {
        LiveDisplay.lines(run, columns: columns, rows: rows, style: style, frame: 1)
    }

    private func run(running: Int, requested: Int) -> RunSnapshot {
        var run = RunSnapshot()
        run.requestedCount = requested
        run.running = (1...running).map { id in
            var progress = DownloadProgress()
            progress.name = "file-\(id).iso"
            progress.phase = .receiving
            progress.totalBytes = 1000
            progress.completedBytes = 400
            progress.bytesPerSecond = 100
            progress.connections = 2
            return RunningDownload(id: id, source: "https://host/\(id)", progress: progress)
        }
        return run
    }
}

@Suite(.timeLimit(.minutes(5)))
struct LiveBlockTests {
    private let usual = LiveBlock.Size(columns: 80, rows: 24)
    private let narrow = LiveBlock.Size(columns: 60, rows: 24)

    @Test func `a block is drawn in place with the cursor on its first line`() {
        var block = LiveBlock()
        let first = block.draw(["one", "two"], on: usual)
        #expect(first.hasSuffix("\u{1B}[1A\r"))
        #expect(first.contains("\u{1B}[?25l"))
        #expect(screen(["$ pawl", first]) == ["$ pawl", "one", "two"])
    }

    @Test func `a shorter block erases a longer one`() {
        var block = LiveBlock()
        let drawings = [
            block.draw(["one", "two is long", "three"], on: usual),
            block.draw(["uno", "dos"], on: usual),
        ]
        #expect(screen(["$ pawl"] + drawings) == ["$ pawl", "uno", "dos"])
    }

    @Test func `a drawing without lines removes the block`() {
        var block = LiveBlock()
        #expect(block.draw([], on: usual) == "")
        let drawings = [block.draw(["one", "two"], on: usual), block.draw([], on: usual)]
        #expect(screen(["$ pawl"] + drawings) == ["$ pawl"])
        #expect(drawings[1].hasSuffix("\u{1B}[?25h"))
        #expect(block.remove() == "")
    }

    @Test func `a message is printed above the block`() {
        var block = LiveBlock()
        let first = block.draw(["one", "two"], on: usual)
        #expect(
            screen(["", first, block.printing("done\r\n", on: usual)]) == [
                "", "done", "one", "two",
            ]
        )
    }

    @Test func `a message in a terminal that lost rows erases the block`() {
        var block = LiveBlock()
        var screen = ScreenEmulator(columns: 80, rows: 24)
        screen.feed("$ pawl\r\n")
        screen.feed(block.draw(["one", "two", "three", "four", "five"], on: usual))
        screen.resize(rows: 4)
        let small = LiveBlock.Size(columns: 80, rows: 4)
        // Ctrl-C: the terminal echoes it, the block is redrawn, and the kept bytes are reported.
        screen.feed("^C")
        screen.feed(block.printing("", on: small))
        screen.feed(block.printing("kept\r\n", on: small))
        screen.feed(block.remove())
        #expect(screen.lines.filter { !$0.isEmpty } == ["$ pawl", "kept"])
        #expect(screen.isCursorVisible)
    }

    @Test func `a message in a terminal of the same size keeps the block`() {
        var block = LiveBlock()
        var screen = ScreenEmulator(columns: 80, rows: 24)
        screen.feed(block.draw(["one", "two"], on: usual))
        screen.feed("^C")
        screen.feed(block.printing("", on: usual))
        #expect(screen.lines == ["one", "two"])
        #expect(!screen.isCursorVisible)
    }

    @Test func `nothing is written if nothing has changed`() {
        var block = LiveBlock()
        _ = block.draw(["one"], on: usual)
        #expect(block.draw(["one"], on: usual) == "")
        #expect(block.draw(["one"], on: narrow) != "")
    }

    @Test func `removing the block shows the cursor`() {
        var block = LiveBlock()
        let first = block.draw(["one", "two"], on: usual)
        let last = block.remove()
        #expect(last.hasSuffix("\u{1B}[?25h"))
        #expect(screen(["$ pawl", first, last]) == ["$ pawl"])
        #expect(block.remove() == "")
    }
}

/// The screen of a terminal after these writes, the first of which is followed by a new line.
private func screen(_ writes: [String]) -> [String] {
    var rows: [[Character]] = [Array(writes.first ?? ""), []]
    var row = 1
    var column = 0
    for text in writes.dropFirst() {
        var rest = Substring(text)
        while let character = rest.popFirst() {
            switch character {
            case "\r\n":
                row += 1
                column = 0
                if row == rows.count { rows.append([]) }
            case "\r": column = 0
            case "\u{1B}":
                guard let end = rest.firstIndex(where: \.isLetter) else { return [] }
                let command = rest[...end]
                rest = rest[rest.index(after: end)...]
                if command.hasSuffix("A") { row -= Int(command.dropFirst().dropLast()) ?? 0 }
                if command.hasSuffix("K") || command.hasSuffix("J") {
                    rows[row] = Array(rows[row].prefix(column))
                }
                if command.hasSuffix("J") { rows = Array(rows.prefix(row + 1)) }
            default:
                rows[row] =
                    Array(rows[row].prefix(column)) + [character]
                    + rows[row].dropFirst(column + 1)
                column += 1
            }
        }
    }
    let shown = rows.map { String($0) }
    return shown.last == "" ? shown.dropLast() : shown
}
