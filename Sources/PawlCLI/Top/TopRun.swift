internal import FoundationEssentials
internal import Glibc
internal import Pawl
internal import PawlCore
internal import PawlHooks
internal import PawlWire
internal import Synchronization

/// Follows the daemon, and carries out what keys ask for, until the user quits.
final class TopRun: Sendable {
    private let client: DaemonClient
    private let console: Console
    private let shown = Mutex(Shown())

    private struct Shown {
        var state = TopState()
        var clock = TopClock()
    }

    /// The maximum number of ended downloads that are shown.
    private static let mostEnded = 500
    private static let keyInterval: Duration = .milliseconds(40)

    init(_ client: DaemonClient, _ console: Console) {
        (self.client, self.console) = (client, console)
    }

    /// Returns when the user quits.
    ///
    /// Throws if there is no daemon at the start.
    func run() async throws(DownloadError) -> Int32 {
        try await load()
        guard let terminal = TopTerminal() else { return 1 }
        console.output(TopTerminal.enter)
        await withDiscardingTaskGroup { group in
            group.addTask { await self.follow() }
            let clock = SystemTimekeeper()
            var (drawn, size) = ([String](), console.size)
            loop: while !Task.isCancelled, !console.outputIsClosed {
                for key in terminal.keys() {
                    let action = change { $0.handle(key) }
                    if action == .quit { break loop }
                    if action != .nothing { group.addTask { await self.carryOut(action) } }
                }
                if size != console.size {
                    (drawn, size) = ([], console.size)
                    change { _ in }
                }
                if let lines = lines(size, at: clock.now()), lines != drawn {
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

    /// Returns the lines of the screen; `nil` if they are not due.
    private func lines(_ size: LiveBlock.Size, at now: Moment) -> [String]? {
        let screen = TopScreen(style: console.traits.style)
        return shown.withLock { shown in
            guard shown.clock.takesTurn(at: now) else { return nil }
            shown.state.pageRows = max(1, Int(size.rows) - 3)
            shown.state.arrange()
            return screen.lines(
                shown.state,
                columns: Int(size.columns),
                rows: Int(size.rows),
                now: Date()
            )
        }
    }

    private func change<Value: Sendable>(_ body: (inout TopState) -> Value) -> Value {
        shown.withLock { shown in
            shown.clock.changed()
            return body(&shown.state)
        }
    }

    private func note(_ message: String) { change { $0.message = message.sanitized } }

    // MARK: - The daemon

    private func load() async throws(DownloadError) {
        let rows = try await client.recent(ListQuery(), ended: Self.mostEnded)
        change { $0.set(rows) }
    }

    /// Follows the events, including those of a daemon that is started again.
    private func follow() async {
        let clock = SystemTimekeeper()
        while !Task.isCancelled {
            do throws(DownloadError) {
                let last = try await client.status().lastEvent
                try await load()
                for try await element in try await client.events(after: last) {
                    try await take(element)
                }
                if !Task.isCancelled { note("the daemon has stopped") }
            } catch {
                if !Task.isCancelled { note(error.text(for: .command)) }
            }
            try? await clock.sleep(until: clock.now() + .seconds(1))
        }
    }

    private func take(_ element: DaemonEvents.Element) async throws(DownloadError) {
        switch element {
        case .progress(let progress): change { $0.take(progress) }
        case .notice(.missed): try await load()
        case .notice: break
        case .event(let event):
            guard let id = event.download else { return }
            let row = event.kind == .removed ? nil : try await client.find(id)
            change { state in
                if let row { state.update(row) } else { state.remove(id) }
            }
        }
    }

    private func carryOut(_ action: TopState.Action) async {
        do throws(DownloadError) {
            switch action {
            case .nothing, .quit: break
            case .act(let action, let id):
                let selection = Selection(targets: ["\(id)"])
                let outcome = try await client.act(action, on: selection)
                if let name = outcome.downloads.first?.name, action == .remove {
                    note("removed \(name); press u to undo")
                }
            case .undo:
                let outcome = try await client.undo()
                let count = outcome.downloads.count + (outcome.feeds?.count ?? 0)
                note(count == 0 ? "there is no removal to undo" : "restored: \(count)")
            case .open where client.remote != nil: note("the file is on the daemon's machine")
            case .open(let path):
                // The viewer stays when this program ends.
                var run = ProgramRun(["setsid", "--fork", "xdg-open", path])
                let nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC)
                defer { close(nowhere) }
                run.output = nowhere
                let end = await run.run()
                if !end.isSuccess { note("xdg-open \(end.text)") }
            }
        } catch {
            note(error.text(for: .command))
        }
    }
}
