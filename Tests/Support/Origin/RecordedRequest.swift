package import PawlCore

/// A request that reached the origin, and what became of its answer.
package struct RecordedRequest: Sendable {
    /// Counts all requests of the origin in the order of their arrival, from 1.
    package var order: Int
    /// The connection it came on, counted from 1 in the order in which they were accepted.
    package var connection: Int
    /// Counts the requests of that connection, from 1: above 1 the connection was used again.
    package var ordinalOnConnection: Int
    package var method: String
    /// As received, with its query.
    package var target: String
    /// As received, in order, repeated fields apart.
    package var fields: [HTTPField]
    /// As received, by its `Content-Length`.
    package var body: [UInt8]
    /// When its head had been read, by the system's monotonic clock.
    package var moment: Moment
    /// The status that was answered; nil while there is none and where the answer was verbatim.
    package var status: Int?
    /// Content bytes handed to the kernel: framing and heads do not count.
    package var bodyBytesSent: Int64 = 0
    package var end: ExchangeEnd?

    /// The target without its query.
    package var path: String {
        String(target.prefix { $0 != "?" })
    }

    /// The only value of that name; several are joined by a comma; nil where there is none.
    package subscript(name: String) -> String? {
        let wanted = name.lowercased()
        let values = fields.filter { $0.name.lowercased() == wanted }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// The range asked for, as it stands in the field; nil where there is none or several.
    package var range: RequestedRange? { self["Range"].flatMap(RequestedRange.init(field:)) }
}

/// How an exchange ended, seen from the origin.
package enum ExchangeEnd: Hashable, Sendable {
    /// All that was to be sent was sent.
    case completed
    /// The origin broke it off, as its reply said.
    case cut
    /// The client went away, or the origin was stopped.
    case abandoned
}

/// One range of a `Range` field (RFC 9110 §14.1.2).
package enum RequestedRange: Hashable, Sendable {
    /// `bytes=first-last`; no last is an open end.
    case from(Int64, last: Int64?)
    /// `bytes=-count`: the last bytes.
    case suffix(Int64)

    /// Nil where the field is malformed, of another unit, or holds several ranges.
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

    /// The bytes of a resource of that size, nil where it has none of them.
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
    /// The last byte asked for, nil where the end is open.
    package var last: Int64? {
        if case .from(_, let last) = self { return last }
        return nil
    }

    /// The first byte asked for, nil where the end of the file was.
    package var first: Int64? {
        if case .from(let first, _) = self { return first }
        return nil
    }
}
