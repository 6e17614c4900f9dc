internal import Glibc

/// What a finished file gets besides its bytes: the server's time, where it came from, and the
/// digests of its pieces.
///
/// None of it is needed later, so a file system that cannot store them is not an error.
package struct FileNotes: Sendable {
    /// The modification time in seconds since 1970; `nil` keeps the time of the last write.
    package var modified: Int64?
    /// The user attributes, by their names.
    package var attributes: [String: String] = [:]
    package var pieces: PieceRecord?

    package init() {}

    func put(on file: OpenFile) {
        for (name, value) in attributes {
            try? ExtendedAttributes.write(Array(value.utf8), name, on: file)
        }
        // They are the largest, so the others come first.
        pieces?.put(on: file)
        guard let modified, let accessed = try? file.status().accessedNanoseconds else { return }
        let times = [
            timespec(nanosecondsSince1970: accessed), timespec(tv_sec: Int(modified), tv_nsec: 0),
        ]
        _ = try? retrying { futimens(file.descriptor, times) }
    }
}

extension timespec {
    init(nanosecondsSince1970 nanoseconds: Int64) {
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        self =
            rest >= 0
            ? timespec(tv_sec: Int(seconds), tv_nsec: Int(rest))
            : timespec(tv_sec: Int(seconds) - 1, tv_nsec: Int(rest) + 1_000_000_000)
    }
}
