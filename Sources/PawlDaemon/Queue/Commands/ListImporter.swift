internal import PawlCore
internal import PawlWire

/// A list that is imported: its key, and who imports it.
struct ImportedList: Sendable {
    /// The key as it is stored.
    fileprivate let key: String
    fileprivate let authority: Authority

    init(_ key: String, of authority: Authority) {
        self.key = IdempotencyKey.text(key, of: authority)
        self.authority = authority
    }

    /// Returns how far the import is.
    func progress(_ transaction: StoreTransaction) throws -> WireImport {
        let entry = try transaction.imports.find(key) ?? ImportTable.Entry()
        return WireImport(entry, lastEvent: try transaction.events.last())
    }
}

/// Imports lists part by part, each in one transaction that records the line that it reaches.
///
/// So an interrupted import continues at this line, and adds nothing twice.
struct ListImporter {
    let adder: DownloadAdder

    /// Adds the lines of a part that are not added yet; returns how far the import is.
    ///
    /// - Throws: `.conflict` if the part does not follow the lines that are done, or if those were
    ///   others; `.notAllowed` if a session may not be used.
    func add(_ part: ImportPart, to list: ImportedList) throws(DownloadError) -> WireImport {
        let result = try adder.add(part.downloads) {
            (transaction, downloads) -> ImportTable.Entry? in
            let imports = transaction.imports
            var entry = try imports.begin(list.key, at: transaction.now)
            try Self.check(part, follows: entry)
            let new = part.lines(after: entry.line)
            downloads = new.compactMap(\.download)
            for session in Set(downloads.compactMap { $0.session.map { ExactText($0) } }) {
                try QueueAccess.check(
                    .addToSession,
                    session.text,
                    by: list.authority,
                    transaction
                )
            }
            guard part.range.upperBound > entry.line else { return entry }
            entry.firstLine = max(part.range.lowerBound, entry.line + 1)
            entry.line = part.range.upperBound
            entry.fingerprint = part.fingerprint(of: entry.firstLine...entry.line)
            entry.added += Int64(downloads.count)
            entry.refused += Int64(new.count - downloads.count)
            try imports.save(entry, for: list.key, at: transaction.now)
            return entry
        }
        guard let (entry, outcome) = result else { throw Self.nothing }
        return WireImport(entry, lastEvent: outcome.lastEvent)
    }

    private static func check(
        _ part: ImportPart,
        follows entry: ImportTable.Entry
    ) throws(DownloadError) {
        guard part.range.lowerBound <= entry.line + 1 else {
            throw Conflict.error(
                "the import has reached line \(entry.line), and the request begins with line "
                    + "\(part.range.lowerBound)",
                advice: "send the list from line \(Int(entry.line + 1))"
            )
        }
        guard entry.firstLine > 0, part.range.contains(entry.firstLine),
            part.range.contains(entry.line)
        else { return }
        guard part.fingerprint(of: entry.firstLine...entry.line) == entry.fingerprint else {
            throw IdempotencyKey.isTaken
        }
    }

    private static let nothing = DownloadError(.unknown, "the import has no record")
}

extension WireImport {
    fileprivate init(_ entry: ImportTable.Entry, lastEvent: Int64) {
        self.init(
            line: entry.line,
            repeatFrom: max(1, entry.firstLine),
            added: entry.added,
            refused: entry.refused,
            lastEvent: lastEvent
        )
    }
}
