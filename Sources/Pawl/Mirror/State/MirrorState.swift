internal import PawlCore

/// What a mirror knows about its files, by their paths below the folder (pure).
///
/// Its text has a head and one line for each change, the last of which counts. Each line ends in a
/// checksum of the line, so that one that was cut off or damaged is passed over: its file is then
/// compared with the server's again.
package struct MirrorState: Sendable {
    /// The version of the text, in its head.
    private static let version = "pawl mirror 1"

    /// Whether a text begins like one of another version.
    static func isOfOtherVersion(_ text: [UInt8]) -> Bool {
        let start = String(decoding: text.prefix(40), as: UTF8.self)
        return start.hasPrefix("pawl mirror ") && !start.hasPrefix(version + "\t")
    }

    /// What is mirrored, without secrets, for messages.
    package private(set) var root: String
    /// A digest of what is mirrored.
    package private(set) var source: String
    private var records: [ExactText: MirrorRecord] = [:]
    /// The paths that the lists of this run contain.
    private var seen: Set<ExactText> = []
    /// The number of lines, without the head.
    private var lineCount = 0

    package init(root: String, source: String) { (self.root, self.source) = (root, source) }

    /// Reads a text; `nil` if it is not that of a state.
    package init?(_ text: [UInt8]) {
        var lines = text.split(separator: 0x0A, omittingEmptySubsequences: false)[...]
        guard let head = lines.popFirst(), let fields = Self.fields(of: head), fields.count == 3,
            fields[0] == Self.version[...]
        else { return nil }
        self.init(root: LineText.unescaped(fields[1]), source: String(fields[2]))
        for line in lines where !line.isEmpty {
            lineCount += 1
            guard let fields = Self.fields(of: line), let path = fields.first else { continue }
            let name = LineText.unescaped(path)
            // A file that others have written must not lead out of the folder.
            guard FileName.isHarmlessPath(name) else { continue }
            let key = ExactText(name)
            // A path without a record was removed.
            records[key] = MirrorRecord(line: Array(fields.dropFirst()))
        }
    }

    /// The fields of a line; `nil` if it is damaged.
    private static func fields(of line: ArraySlice<UInt8>) -> [Substring]? {
        guard let end = line.lastIndex(of: 0x09),
            String(decoding: line[(end + 1)...], as: UTF8.self) == checksum(line[..<end])
        else { return nil }
        return String(decoding: line[..<end], as: UTF8.self)
            .split(separator: "\t", omittingEmptySubsequences: false)
    }

    private static func checksum(_ bytes: ArraySlice<UInt8>) -> String {
        CyclicChecksum.of(bytes).hexadecimal
    }

    private static func line(_ fields: [String]) -> String {
        let text = Array(fields.joined(separator: "\t").utf8)
        let end = Array("\t\(checksum(text[...]))\n".utf8)
        return String(decoding: text + end, as: UTF8.self)
    }

    // MARK: - Records

    package func record(of path: String) -> MirrorRecord? { records[ExactText(path)] }

    package var count: Int { records.count }

    /// Notes that a list of this run contains a path; returns `false` if it is not the first one.
    package mutating func see(_ path: String) -> Bool {
        let key = ExactText(path)
        if records[key] != nil { hasSeenKnown = true }
        return seen.insert(key).inserted
    }

    /// Whether a list of this run contains a file that was recorded before it.
    package private(set) var hasSeenKnown = false

    /// The paths of records that no list of this run contains, in order.
    package var unseen: [String] {
        records.keys.filter { !seen.contains($0) }.sorted().map(\.text)
    }

    // MARK: - Text

    /// Changes a record, and returns the line that has to be added to the text; `nil` if nothing has
    /// changed.
    package mutating func set(_ record: MirrorRecord?, of path: String) -> String? {
        let key = ExactText(path)
        guard records[key] != record else { return nil }
        records[key] = record
        lineCount += 1
        return Self.line([LineText.escaped(path)] + (record?.line ?? []))
    }

    /// The head of the text.
    package var head: String { Self.line([Self.version, LineText.escaped(root), source]) }

    /// Whether most lines of the text are outdated.
    package var isWasteful: Bool { lineCount > 2 * records.count + 1000 }

    /// The text without outdated lines.
    package mutating func compacted() -> String {
        lineCount = records.count
        return records.sorted { $0.key < $1.key }.reduce(into: head) { text, entry in
            text += Self.line([LineText.escaped(entry.key.text)] + entry.value.line)
        }
    }
}
