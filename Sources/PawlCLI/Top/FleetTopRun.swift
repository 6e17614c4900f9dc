internal import Pawl
internal import PawlCore
internal import PawlWire
internal import Synchronization

/// Shows the fleet until the user quits.
final class FleetTopRun: Sendable {
    private let client: DaemonClient
    private let console: Console
    private let shown: Mutex<Shown>

    private struct Shown {
        var fleet: WireFleet
        /// Why the fleet was not read the last time; empty if it was.
        var message = ""
    }

    private static let keyInterval: Duration = .milliseconds(40)
    private static let readInterval: Duration = .seconds(1)

    init(_ client: DaemonClient, _ console: Console) {
        (self.client, self.console) = (client, console)
        let nothing = WireFleet(isShared: false, nodes: [], counts: [:], hosts: [])
        shown = Mutex(Shown(fleet: nothing))
    }

    /// Returns when the user quits.
    ///
    /// Throws if there is no daemon at the start.
    func run() async throws(DownloadError) -> Int32 {
        try await read()
        guard let terminal = TopTerminal() else { return 1 }
        console.output(TopTerminal.enter)
        await withDiscardingTaskGroup { group in
            group.addTask { await self.follow() }
            let clock = SystemTimekeeper()
            var (drawn, size) = ([String](), console.size)
            while !Task.isCancelled, !console.outputIsClosed {
                let keys = terminal.keys()
                if keys.contains(.character("q")) || keys.contains(.escape) { break }
                if size != console.size { (drawn, size) = ([], console.size) }
                let lines = lines(size)
                if lines != drawn {
                    console.output(TopTerminal.drawing(lines))
                    drawn = lines
                }
                // The loop checks for cancellation.
                try? await clock.sleep(until: clock.now() + Self.keyInterval)
            }
            group.cancelAll()
        }
        console.output(TopTerminal.leave)
        return 0
    }

    /// Returns the lines of the screen.
    private func lines(_ size: LiveBlock.Size) -> [String] {
        let (columns, rows) = (Int(size.columns), max(1, Int(size.rows)))
        let style = console.traits.style
        return shown.withLock { shown in
            let text = FleetReport.fleet(shown.fleet, width: columns)
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
                .map { style.showable(String($0)).shortened(toColumns: columns) }
            let foot = shown.message.isEmpty ? "q quit" : shown.message
            let shortFoot = style.showable(foot).shortened(toColumns: columns)
            return Array(lines.prefix(rows - 1)) + [style.tint(shortFoot, .dim)]
        }
    }

    // MARK: - The daemon

    private func read() async throws(DownloadError) {
        let fleet = try await client.fleet()
        shown.withLock { ($0.fleet, $0.message) = (fleet, "") }
    }

    private func follow() async {
        let clock = SystemTimekeeper()
        while !Task.isCancelled {
            // The loop checks for cancellation.
            try? await clock.sleep(until: clock.now() + Self.readInterval)
            do throws(DownloadError) {
                try await read()
            } catch {
                let text = error.text(for: .command).sanitized
                shown.withLock { $0.message = text }
            }
        }
    }
}
