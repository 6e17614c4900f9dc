/// How far the import of a list is.
package struct WireImport: Codable, Sendable, Hashable {
    /// The last line that is done; 0 if none is.
    package var line: Int64
    /// The first line of the last part: a client that continues sends the list from there, so that
    /// the daemon can compare; 1 if there is none.
    package var repeatFrom: Int64
    /// The number of downloads that were added, by all requests with the key.
    package var added: Int64
    /// The number of lines that were refused, in all requests with the key.
    package var refused: Int64
    /// The lines of this request that were refused: the first 1,000.
    package var refusedLines: [WireRefusedLine]
    /// The newest event.
    package var lastEvent: Int64

    package static let mostRefusedLines = 1000
    /// The maximum length of an object with URLs alone below it.
    package static let mostTemplateBytes = 64 << 10

    package init(
        line: Int64,
        repeatFrom: Int64,
        added: Int64,
        refused: Int64,
        lastEvent: Int64
    ) {
        (self.line, self.repeatFrom, self.lastEvent) = (line, repeatFrom, lastEvent)
        (self.added, self.refused) = (added, refused)
        refusedLines = []
    }
}

/// A line of a list that adds nothing.
package struct WireRefusedLine: Codable, Sendable, Hashable {
    package var line: Int64
    /// The reason.
    package var problem: Problem

    package init(line: Int64, problem: Problem) { (self.line, self.problem) = (line, problem) }
}
