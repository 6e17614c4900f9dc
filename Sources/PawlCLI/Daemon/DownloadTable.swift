internal import PawlCore
package import PawlWire

/// The table that `list` shows.
package enum DownloadTable {
    private static let head = ["ID", "STATE", "DONE", "SIZE", "SPEED", "NAME"]
    private static let leastNameColumns = 16

    /// The names give way where the terminal is narrow.
    package static func text(_ downloads: [WireDownload], columns: Int) -> String {
        guard !downloads.isEmpty else { return "No downloads.\n" }
        let rows = [head] + downloads.map(cells)
        let fixed = head.count - 1
        let widths = (0..<fixed).map { index in
            rows.map { DisplayWidth.of($0[index]) }.max() ?? 0
        }
        let room = max(leastNameColumns, columns - widths.reduce(0, +) - 2 * fixed)
        return rows.map { cells in
            let start = (0..<fixed).map { index in
                index == 1
                    ? cells[index].padded(toColumns: widths[index])
                    : cells[index].rightAligned(inColumns: widths[index])
            }
            let name = cells[fixed].shortened(toColumns: room)
            return (start + [name]).joined(separator: "  ") + "\n"
        }.joined()
    }

    private static func cells(_ download: WireDownload) -> [String] {
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
            download.name.sanitized,
        ]
    }
}
