import PawlCore
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)), .serialized)
struct TerminalScreenTests {
    private let resource = Resource(size: 3 << 20)

    private func workshop(_ path: String = Workshop.path) throws -> Workshop {
        let workshop = try Workshop()
        workshop.serve(.resource(resource).rate(3 << 20), at: path)
        return workshop
    }

    /// Downloads the resource to its end; each quarter is sent when the one before it was
    /// displayed.
    private func downloadInQuarters(
        _ path: String = Workshop.path,
        columns: UInt16
    ) async throws -> (workshop: Workshop, runner: ProcessRunner) {
        let workshop = try Workshop()
        var reply = Reply.resource(resource)
        var quarters: [(text: String, latch: Latch)] = []
        for number: Int64 in 1...3 {
            let latch = Latch()
            reply = reply.holdAfterBytes(number * resource.size / 4, until: latch)
            quarters.append(("\(number * 25)%", latch))
        }
        workshop.serve(reply, at: path)
        let runner = try workshop.start(
            workshop.origin.url(path),
            "-x",
            "1",
            settings: terminal(columns: columns)
        )
        for (text, latch) in quarters {
            #expect(await runner.waitForOutput(containing: text), "\(runner.output)")
            latch.release()
        }
        await runner.waitForExit()
        return (workshop, runner)
    }

    private func terminal(columns: UInt16, noColour: String? = nil) -> ProcessSettings {
        ProcessSettings(
            environment: ["NO_COLOR": noColour],
            terminal: TerminalSize(columns: columns, rows: 24)
        )
    }

    @Test(arguments: [100, 40, 20] as [UInt16])
    func `no line wraps while it runs, and the finished line remains`(columns: UInt16) async throws
    {
        let watch = Stopwatch()
        let (_, run) = try await downloadInQuarters(columns: columns)
        let elapsed = watch.elapsed
        #expect(run.status == .code(0))
        var screen = ScreenEmulator(columns: Int(columns))
        screen.feed(run.output)
        #expect(screen.unknown.isEmpty)
        #expect(screen.lostCharacters == 0)
        #expect(screen.isCursorVisible)
        #expect(screen.text.contains("disk.iso  3.00 MiB in "))
        #expect(!screen.text.contains("%"))
        #expect(screen.drawings >= 3)
        // Ten redraws a second at most.
        #expect(Double(screen.drawings) <= elapsed.seconds * 10 + 2)
    }

    @Test(arguments: [60, 40, 20] as [UInt16])
    func `a progress line has the percentage, and more figures on a wider terminal`(columns: UInt16)
        async throws
    {
        let workshop = try Workshop()
        let latch = Latch()
        workshop.serve(.resource(resource).holdAfterBytes(resource.size / 2, until: latch))
        let runner = try workshop.start(
            workshop.url,
            "-x",
            "1",
            settings: terminal(columns: columns)
        )
        #expect(await runner.waitForOutput(containing: "50%"))
        var screen = ScreenEmulator(columns: Int(columns))
        screen.feed(runner.output)
        let line = try #require(screen.lines.last)
        #expect(line.contains("disk.iso") || columns < 40)
        #expect(line.contains("50%"))
        #expect(screen.wrappedLines + screen.lostCharacters == 0)
        latch.release()
        #expect(await runner.waitForExit() == .code(0))
    }

    @Test func `wide characters and a long name fit the line`() async throws {
        let path =
            "/%E6%96%87%E4%BB%B6%E6%96%87%E4%BB%B6%E6%96%87%E4%BB%B6%F0%9F%8E%89long-name.iso"
        let (workshop, run) = try await downloadInQuarters(path, columns: 40)
        #expect(run.status == .code(0))
        #expect(workshop.folder.list() == ["文件文件文件🎉long-name.iso"])
        var screen = ScreenEmulator(columns: 40)
        screen.feed(run.output)
        #expect(screen.lostCharacters == 0)
        #expect(screen.drawings >= 3)
    }

    @Test func `several downloads have a line each and a total, and leave one line each`()
        async throws
    {
        let workshop = try Workshop()
        let latch = Latch()
        for number in 1...3 {
            let resource = Resource(size: 1 << 20, seed: UInt64(number))
            workshop.serve(
                .resource(resource).holdAfterBytes(1 << 19, until: latch),
                at: "/\(number).bin"
            )
        }
        let run = try workshop.start(
            arguments: ["-x", "1"] + (1...3).map { workshop.origin.url("/\($0).bin") },
            terminal(columns: 60)
        )
        #expect(await run.waitForOutput(containing: "0 of 3 done"))
        latch.release()
        #expect(await run.waitForExit() == .code(0))
        var screen = ScreenEmulator(columns: 60)
        screen.feed(run.output)
        #expect(screen.lostCharacters == 0)
        let lines = screen.lines.filter { !$0.isEmpty }
        #expect(lines.count == 3)
        for number in 1...3 { #expect(lines.contains { $0.contains("/\(number).bin  1.00 MiB") }) }
    }

    @Test func `colours are used unless NO_COLOR is set`() async throws {
        let colourful = try workshop()
        let run = try await colourful.run(colourful.url, settings: terminal(columns: 80))
        #expect(run.output.contains("m✓"))
        let plain = try workshop()
        let other = try await plain.run(plain.url, settings: terminal(columns: 80, noColour: "1"))
        #expect(other.status == .code(0))
        #expect(other.output.contains("✓ ./disk.iso: 3.00 MiB") || other.output.contains("✓ disk"))
        #expect(!hasColours(other.output))
        #expect(hasColours(run.output))
    }

    @Test func `a dumb terminal gets plain lines`() async throws {
        let workshop = try workshop()
        var settings = terminal(columns: 80)
        settings.environment["TERM"] = "dumb"
        let run = try await workshop.run(workshop.url, settings: settings)
        #expect(run.status == .code(0))
        #expect(!run.output.contains("\u{1B}"))
    }

    @Test func `after a resize the lines have the new width`() async throws {
        let workshop = try Workshop()
        let (first, second) = (Latch(), Latch())
        workshop.serve(
            .resource(resource).holdAfterBytes(resource.size / 4, until: first)
                .holdAfterBytes(resource.size / 2, until: second)
        )
        let runner = try workshop.start(
            workshop.url,
            "-x",
            "1",
            settings: terminal(columns: 90)
        )
        #expect(await runner.waitForOutput(containing: "25%"))
        #expect(drawnWidths(runner.output).contains { $0 > 30 })
        runner.resize(TerminalSize(columns: 30, rows: 24))
        // The next drawing of a tick has the new width, whatever it shows.
        await runner.waitForOutput { (drawnWidths($0).last ?? .max) < 30 }
        let before = runner.outputBytes.count
        first.release()
        #expect(await runner.waitForOutput(containing: "50%"))
        second.release()
        #expect(await runner.waitForExit() == .code(0))
        let after = String(decoding: runner.outputBytes.dropFirst(before), as: UTF8.self)
        let widths = drawnWidths(after)
        #expect(!widths.isEmpty)
        #expect(widths.allSatisfy { $0 < 30 })
    }

    /// The widest line of each drawing that is complete.
    private func drawnWidths(_ output: String) -> [Int] {
        let drawings = output.split(separator: "\u{1B}[?7l").dropFirst()
        return drawings.filter { $0.contains("\u{1B}[?7h") }.map { drawing in
            var screen = ScreenEmulator(columns: 1000)
            screen.feed(String(drawing.prefix(upTo: end(of: drawing))))
            return screen.lines.map(\.count).max() ?? 0
        }
    }

    private func end(of drawing: Substring) -> Substring.Index {
        drawing.firstRange(of: "\u{1B}[?7h")?.lowerBound ?? drawing.endIndex
    }

    private func hasColours(_ output: String) -> Bool {
        output.split(separator: "\u{1B}[").dropFirst().contains { sequence in
            sequence.first { !$0.isNumber && $0 != ";" } == "m"
        }
    }
}
