internal import PawlCore

/// Lines of a list that follow each other, after all checks that need no access to the queue.
struct ImportPart: Sendable {
    /// A line that is not empty.
    struct Line: Sendable {
        let number: Int64
        /// What the line adds, or the reason why it is refused.
        let result: Result<DownloadAdder.Prepared, DownloadError>
        /// What the line contains, without secrets, for a checksum.
        let contents: [UInt8]

        /// What the line adds; `nil` if it is refused.
        var download: DownloadAdder.Prepared? { try? result.get() }
    }

    /// The numbers of the lines, with those of empty lines.
    let range: ClosedRange<Int64>
    /// The lines that are not empty, in their order.
    let lines: [Line]

    /// What the lines add.
    var downloads: [DownloadAdder.Prepared] { lines.compactMap(\.download) }

    /// The lines that are refused, with the reasons.
    var refusals: [(line: Int64, error: DownloadError)] {
        lines.compactMap { line in
            guard case .failure(let error) = line.result else { return nil }
            return (line.number, error)
        }
    }

    func lines(after number: Int64) -> [Line] { lines.filter { $0.number > number } }

    /// Returns a checksum of some lines.
    func fingerprint(of range: ClosedRange<Int64>) -> Int64 {
        var contents: [UInt8] = []
        for line in lines where range.contains(line.number) {
            contents += "\(line.number - range.lowerBound) ".utf8
            contents += line.contents
        }
        return Int64(bitPattern: CyclicChecksum.of(contents))
    }
}
