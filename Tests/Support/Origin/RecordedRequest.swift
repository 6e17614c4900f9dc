package import PawlCore

/// A request that reached the origin, and the outcome of its response.
package struct RecordedRequest: Sendable {
    /// The number of the request at the origin, in order of arrival, from 1.
    package var order: Int
    /// The number of the connection, in the order in which they were accepted, from 1.
    package var connection: Int
    /// The number of the request on its connection, from 1; above 1 the connection was reused.
    package var ordinalOnConnection: Int
    package var method: String
    /// The target as received, with its query.
    package var target: String
    /// The fields as received, in order, with repeated fields separate.
    package var fields: [HTTPField]
    /// The body as received, according to its `Content-Length`.
    package var body: [UInt8]
    /// The moment at which the head had been read, by the system's monotonic clock.
    package var moment: Moment
    /// The status of the response; `nil` until there is one, or if the response was verbatim.
    package var status: Int?
    /// The number of content bytes passed to the kernel, without framing and heads.
    package var bodyBytesSent: Int64 = 0
    package var end: ExchangeEnd?

    /// The target without its query.
    package var path: String {
        String(target.prefix { $0 != "?" })
    }

    /// The values of the named field, joined by commas, or `nil` if there is no such field.
    package subscript(name: String) -> String? {
        let wanted = name.lowercased()
        let values = fields.filter { $0.name.lowercased() == wanted }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// The requested range as in the field; `nil` if there is no range or more than one.
    package var range: RequestedRange? { self["Range"].flatMap(RequestedRange.init(field:)) }
}

/// The end of an exchange from the origin's point of view.
package enum ExchangeEnd: Hashable, Sendable {
    /// The whole response was sent.
    case completed
    /// The origin broke off the response, as its reply demanded.
    case cut
    /// The client disconnected, or the origin was stopped.
    case abandoned
}

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
