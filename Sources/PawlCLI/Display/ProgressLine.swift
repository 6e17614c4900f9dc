package import PawlCore

/// One line of the display: name, bar, percent, bytes, speed, time left, connections.
package enum ProgressLine {
    /// A line of at most `width` columns.
    ///
    /// A narrow line has fewer figures.
    package static func render(
        _ progress: DownloadProgress,
        width: Int,
        style: TerminalStyle,
        frame: Int = 0
    ) -> String {
        let name = DisplayWidth.of(style.showable(progress.name))
        let layout = ProgressLayout(width: width, longestName: name)
        return render(progress, layout: layout, style: style, frame: frame)
    }

    /// A line in a block of lines with the same layout.
    package static func render(
        _ progress: DownloadProgress,
        layout: ProgressLayout,
        style: TerminalStyle,
        frame: Int = 0
    ) -> String {
        let name = style.showable(progress.name)
        if let word = phaseWord(progress.phase), !layout.hasSpeed {
            return briefLine(progress, word, name: name, layout: layout, style: style)
        }
        var columns = [column(name, layout.name, style)]
        if layout.bar > 0 {
            columns.append(
                ProgressBar.render(
                    fraction: barFraction(progress),
                    columns: layout.bar,
                    frame: frame,
                    style: style
                )
            )
        }
        if layout.hasPercent { columns.append(percent(progress, layout, style, frame)) }
        if layout.hasBytes {
            columns.append(bytes(progress).rightAligned(inColumns: ProgressLayout.bytesWidth))
        }
        columns += figures(progress, layout, style)
        if layout.hasConnections { columns.append(connections(progress, style)) }
        return trimmed(columns.joined(separator: gap))
    }

    private static let gap = String(repeating: " ", count: ProgressLayout.gap)

    /// A line with the phase instead of the percentage, if there is no room for both.
    private static func briefLine(
        _ progress: DownloadProgress,
        _ word: String,
        name: String,
        layout: ProgressLayout,
        style: TerminalStyle
    ) -> String {
        let room = layout.name + ProgressLayout.percentWidth - word.count
        guard layout.hasPercent, room >= 0 else {
            return trimmed(column(name, layout.name, style))
        }
        return column(name, room, style) + gap + style.tint(word, tone(progress.phase))
    }

    private static func column(_ name: String, _ width: Int, _ style: TerminalStyle) -> String {
        name.shortened(toColumns: width, ellipsis: style.ellipsis).padded(toColumns: width)
    }

    private static func tone(_ phase: DownloadPhase) -> TerminalStyle.Tone {
        switch phase {
        case .retrying, .waitingForConnectivity, .failed: .red
        default: .dim
        }
    }

    /// The word that is displayed instead of the speed and the time left.
    static func phaseWord(_ phase: DownloadPhase) -> String? {
        switch phase {
        case .receiving: nil
        // No wider than the narrowest column for a word.
        case .waitingForConnectivity: "no network"
        default: phase.word
        }
    }

    private static func barFraction(_ progress: DownloadProgress) -> Double? {
        switch progress.phase {
        case .waiting, .connecting, .failed, .retrying, .waitingForConnectivity:
            progress.fraction ?? 0
        case .verifying, .finished: progress.fraction ?? 1
        case .receiving: progress.fraction
        }
    }

    private static func percent(
        _ progress: DownloadProgress,
        _ layout: ProgressLayout,
        _ style: TerminalStyle,
        _ frame: Int
    ) -> String {
        guard let fraction = progress.fraction else {
            let hasSpinner = layout.bar == 0 && progress.phase == .receiving
            let mark =
                hasSpinner ? ProgressBar.spinner(frame: frame, isUnicode: style.isUnicode) : ""
            return mark.rightAligned(inColumns: ProgressLayout.percentWidth)
        }
        return percentText(fraction).rightAligned(inColumns: ProgressLayout.percentWidth)
    }

    /// The percentage; 100% only if the file is complete.
    package static func percentText(_ fraction: Double) -> String {
        "\(Int(min(1, max(0, fraction)) * 100))%"
    }

    private static func bytes(_ progress: DownloadProgress) -> String {
        if let total = progress.totalBytes {
            return ByteText.part(progress.completedBytes, of: total)
        }
        return progress.completedBytes > 0 ? ByteText.size(progress.completedBytes) : ""
    }

    private static func figures(
        _ progress: DownloadProgress,
        _ layout: ProgressLayout,
        _ style: TerminalStyle
    ) -> [String] {
        if let word = phaseWord(progress.phase) {
            let time = layout.hasTime ? ProgressLayout.gap + ProgressLayout.timeWidth : 0
            let field = word.padded(toColumns: ProgressLayout.speedWidth + time)
            return [style.tint(field, tone(progress.phase))]
        }
        var columns: [String] = []
        if layout.hasSpeed {
            columns.append(
                ByteText.rate(progress.bytesPerSecond)
                    .rightAligned(inColumns: ProgressLayout.speedWidth)
            )
        }
        if layout.hasTime {
            let text = progress.timeLeft.map(TimeText.clock) ?? "-:--"
            columns.append(text.rightAligned(inColumns: ProgressLayout.timeWidth))
        }
        return columns
    }

    private static func connections(
        _ progress: DownloadProgress,
        _ style: TerminalStyle
    ) -> String {
        guard progress.connections > 0 else { return "" }
        let count = min(99, progress.connections)
        return style.tint(
            "\(style.isUnicode ? "×" : "x")\(count)"
                .rightAligned(inColumns: ProgressLayout.connectionsWidth),
            .dim
        )
    }

    private static func trimmed(_ line: String) -> String {
        let end = line.lastIndex { $0 != " " }
        return end.map { String(line[...$0]) } ?? ""
    }
}
