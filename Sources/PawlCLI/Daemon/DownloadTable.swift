package import FoundationEssentials
internal import PawlCore
package import PawlWire

/// The table of `pawl list`.
package struct DownloadTable {
    private static let headings = [
        "ID", "STATE", "DONE", "SIZE", "SPEED", "LEFT", "LABEL", "NAME", "NOTE",
    ]
    /// The number of columns before the name.
    private static let figureCount = 7
    /// The columns that are texts and not numbers.
    private static let textColumns: Set<Int> = [1, 6]
    private static let minimumNameWidth = 16
    private static let maximumLabelWidth = 16
    private static let minimumNoteWidth = 12
    private static let gap = "  "

    private let now: Date
    private let time: LocalTime

    package init(now: Date, time: LocalTime = LocalTime()) {
        (self.now, self.time) = (now, time)
    }

    /// `columns`: the width of the terminal, to which names and notes are shortened; `nil` shortens
    /// nothing.
    package func text(_ downloads: [WireDownload], columns: Int?) -> String {
        guard !downloads.isEmpty else { return "No downloads.\n" }
        let body = downloads.map { cells($0, isShortened: columns != nil) }
        // A column that is empty for all downloads is left out.
        let used = Self.headings.indices.map { index in body.contains { !$0[index].isEmpty } }
        let rows = [zip(Self.headings, used).map { $1 ? $0 : "" }] + body
        let widths = rows[0].indices.map { index in
            rows.map { DisplayWidth.of($0[index]) }.max() ?? 0
        }
        let room = room(widths, columns)
        return rows.map { cells in
            let start = (0..<Self.figureCount).filter { used[$0] }.map { index in
                Self.textColumns.contains(index)
                    ? cells[index].padded(toColumns: widths[index])
                    : cells[index].rightAligned(inColumns: widths[index])
            }
            let name = cells[Self.figureCount].shortened(toColumns: room.name)
            let note = cells[Self.figureCount + 1].shortened(toColumns: room.note)
            let end = note.isEmpty ? [name] : [name.padded(toColumns: room.name), note]
            return (start + end).joined(separator: Self.gap) + "\n"
        }.joined()
    }

    /// The widths of names and notes.
    ///
    /// Names are shortened first, because notes are short.
    private func room(_ widths: [Int], _ columns: Int?) -> (name: Int, note: Int) {
        let (name, note) = (widths[Self.figureCount], widths[Self.figureCount + 1])
        guard let columns else { return (name, note) }
        let others = widths.prefix(Self.figureCount).filter { $0 > 0 }
        let gaps = Self.gap.count * (others.count + (note > 0 ? 1 : 0))
        let room = columns - others.reduce(0, +) - gaps
        guard name + note > room else { return (name, note) }
        let leastNote = min(note, max(Self.minimumNoteWidth, room / 2))
        let nameRoom = min(name, max(Self.minimumNameWidth, room - leastNote))
        return (nameRoom, min(note, max(Self.minimumNoteWidth, room - nameRoom)))
    }

    private func cells(_ download: WireDownload, isShortened: Bool) -> [String] {
        let label = (download.label ?? "").sanitized
        let progress = download.progress
        var done = ""
        if download.state == .finished {
            done = "100%"
        } else if let total = download.totalBytes, total > 0 {
            let part = Double(max(0, download.completedBytes)) / Double(total)
            done = "\(Int(min(0.99, part) * 100))%"
        }
        return [
            "\(download.id)", download.state.word, done,
            download.totalBytes.map(ByteText.size) ?? "",
            download.bytesPerSecond.map { ByteText.rate(Double($0)) } ?? "",
            progress.timeLeft.map(TimeText.clock) ?? "",
            isShortened ? label.shortened(toColumns: Self.maximumLabelWidth) : label,
            download.name.sanitized, note(download).sanitized,
        ]
    }

    /// Why the download failed, or when it starts or is retried, and why.
    private func note(_ download: WireDownload) -> String {
        var parts: [String] = []
        if download.state == .waiting, let date = download.notBefore {
            let moment = time.brief(date, now: now)
            parts.append(download.failures == nil ? "starts \(moment)" : "retries \(moment)")
        }
        if let problem = download.problem, download.state != .finished {
            parts.append(problem.title)
        }
        return parts.joined(separator: ": ")
    }
}
