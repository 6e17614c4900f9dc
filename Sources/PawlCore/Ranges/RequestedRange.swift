/// One range of a `Range` field (RFC 9110 §14.1.2).
package enum RequestedRange: Hashable, Sendable {
    /// `bytes=first-last`; without `last`, the end is open.
    case from(Int64, last: Int64?)
    /// `bytes=-count`: the last `count` bytes.
    case suffix(Int64)

    /// Parses a field; returns `nil` if it is malformed, has another unit, or holds several ranges.
    package init?(field: String) {
        let parts = field.split(separator: "=", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
        let ends = parts[1].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2 else { return nil }
        if ends[0].isEmpty {
            guard let count = Int64(ends[1]), count >= 0 else { return nil }
            self = .suffix(count)
            return
        }
        guard let first = Int64(ends[0]), first >= 0 else { return nil }
        let last = Int64(ends[1])
        guard ends[1].isEmpty || (last ?? -1) >= first else { return nil }
        self = .from(first, last: last)
    }

    /// Returns the requested bytes of a resource of the given size, or `nil` if it has none of
    /// them.
    package func resolve(size: Int64) -> ByteRange? {
        switch self {
        case .suffix(let count):
            guard count > 0, size > 0 else { return nil }
            return ByteRange(max(0, size - count), size)
        case .from(let first, let last):
            guard first < size else { return nil }
            guard let last, last < size - 1 else { return ByteRange(first, size) }
            return ByteRange(first, last + 1)
        }
    }
}

extension RequestedRange {
    /// The last requested byte; `nil` if the end is open.
    package var last: Int64? {
        if case .from(_, let last) = self { return last }
        return nil
    }

    /// The first requested byte; `nil` if the range counts from the end of the file.
    package var first: Int64? {
        if case .from(let first, _) = self { return first }
        return nil
    }
}
