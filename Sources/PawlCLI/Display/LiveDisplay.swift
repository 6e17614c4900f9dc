package import PawlCore

/// The display on a terminal: one line per running download, redrawn in place, and a line for the
/// total if there are several.
///
/// Ended downloads are printed above these lines.
package struct LiveDisplay: ProgressDisplay {
    private let console: Console
    private var frame = 0

    package init(console: Console) { self.console = console }

    package mutating func show(_ run: RunSnapshot, at now: Moment) {
        frame += 1
        let size = console.size
        let lines = Self.lines(
            run,
            columns: Int(size.columns),
            rows: Int(size.rows),
            style: console.traits.style,
            frame: frame
        )
        console.draw(lines, on: size)
    }

    package mutating func ended(_ download: EndedDownload) {
        guard case .success(let file) = download.result else { return }
        let style = console.traits.style
        let mark = style.isUnicode ? style.tint("✓", .green) + " " : ""
        console.message(mark + ResultMessage.finished(file, download, style: style))
    }

    package mutating func close() { console.removeBlock() }

    /// The lines for a terminal of this size: each line is narrower than the terminal, and there
    /// are fewer lines than rows.
    package static func lines(
        _ run: RunSnapshot,
        columns: Int,
        rows: Int,
        style: TerminalStyle,
        frame: Int
    ) -> [String] {
        guard columns > 1 else { return [] }
        let width = columns - 1
        guard !run.running.isEmpty else {
            return run.status.map { [$0.shortened(toColumns: width, ellipsis: style.ellipsis)] }
                ?? []
        }
        let hasTotal = run.requestedCount > 1
        let room = max(1, rows - 1 - (hasTotal ? 1 : 0))
        let fits = run.running.count <= room
        var shown = (fits ? run.running : run.busiestFirst).prefix(fits ? room : room - 1)
            .map(\.progress)
        if hasTotal, rows > 2 || shown.isEmpty { shown.append(total(run)) }

        let longest = shown.map { DisplayWidth.of(style.showable($0.name)) }.max() ?? 0
        let layout = ProgressLayout(width: width, longestName: longest)
        var lines = shown.map {
            ProgressLine.render($0, layout: layout, style: style, frame: frame)
        }
        if !fits, rows > 3 {
            let more = "\(style.ellipsis) and \(run.running.count - (room - 1)) more"
            let line = style.tint(
                more.shortened(toColumns: width, ellipsis: style.ellipsis),
                .dim
            )
            lines.insert(line, at: max(0, lines.count - 1))
        }
        return lines
    }

    private static func total(_ run: RunSnapshot) -> DownloadProgress {
        var sum = run.sum
        sum.name =
            run.failedCount > 0
            ? "\(run.endedCount)/\(run.requestedCount), \(run.failedCount) failed"
            : "\(run.endedCount) of \(run.requestedCount) done"
        return sum
    }
}

extension RunSnapshot {
    /// The running downloads, those that only verify their file last.
    fileprivate var busiestFirst: [RunningDownload] {
        running.filter { $0.progress.phase != .verifying }
            + running.filter { $0.progress.phase == .verifying }
    }
}
