internal import Glibc
internal import PawlCore

/// What has been committed to a database.
///
/// The marker file beside the database contains it. SQLite ignores a damaged log from the damage
/// on, and a missing log altogether, without an error: only this mark shows that commits are
/// missing.
struct CommitMark: Hashable, Sendable {
    /// The number of commits.
    var commits: Int64 = 0
    /// The number of commits that need no log: the log was written to the database after them.
    var saved: Int64 = 0
    /// The highest id of a download.
    var lastDownload: Int64 = 0
    /// The highest id of an event.
    var lastEvent: Int64 = 0
}

extension CommitMark {
    /// Enough for four numbers and a checksum.
    private static let length = 128
    /// The maximum number that is accepted; an event's id may be a time in microseconds.
    private static let mostNumber: Int64 = 1 << 53

    /// The mark as one line, always of the same length.
    var line: String {
        let text = "\(commits) \(saved) \(lastDownload) \(lastEvent)"
        let line = "\(text) \(CyclicChecksum.of(text.utf8).hexadecimal)"
        return line + String(repeating: " ", count: Self.length - 1 - line.utf8.count) + "\n"
    }

    /// Returns `nil` if the bytes are not a mark: an earlier version has written none, or they are
    /// damaged.
    init?(bytes: some Collection<UInt8>) {
        let words = String(decoding: bytes, as: UTF8.self).split { $0 == " " || $0 == "\n" }
        let numbers = words.dropLast().compactMap { Int64($0) }
            .filter { (0...Self.mostNumber).contains($0) }
        guard words.count == 5, numbers.count == 4 else { return nil }
        let text = words.dropLast().joined(separator: " ")
        guard CyclicChecksum.of(text.utf8).hexadecimal == words[4] else { return nil }
        (commits, saved, lastDownload, lastEvent) = (numbers[0], numbers[1], numbers[2], numbers[3])
    }

    /// Reads the mark from a marker file; `nil` if there is none.
    init?(file: String) {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: Self.length)
        guard read(descriptor, &bytes, bytes.count) == bytes.count else { return nil }
        self.init(bytes: bytes)
    }
}
