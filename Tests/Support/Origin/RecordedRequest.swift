package import PawlCore

/// A request that reached the origin, and the outcome of its response.
package struct RecordedRequest: Sendable {
    /// The number of the request at the origin, in order of arrival, from 1.
    package var number: Int
    /// The number of the connection, in the order in which they were accepted, from 1.
    package var connection: Int
    /// The number of the request on its connection, from 1; above 1 the connection was reused.
    package var ordinalOnConnection: Int
    package var method: String
    /// The target as received, with its query.
    package var target: String
    /// The fields as received, in order, with repeated fields separate.
    package var fields: [HTTPField]
    /// The body as received so far, according to its `Content-Length` or its chunks.
    package var body: [UInt8]
    /// The fields after a body in chunks.
    package var trailers: [HTTPField] = []
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

extension Collection<RecordedRequest> {
    /// Returns the bytes of a file of `size` bytes that were requested at least once.
    ///
    /// How many bytes a server sends of a response that is cut depends on timing; these do not.
    package func requestedBytes(of size: Int64) -> RangeSet {
        reduce(into: RangeSet()) { bytes, request in
            switch request.range {
            case .from(let first, let last):
                bytes.insert(ByteRange(first, last.map { $0 + 1 } ?? size))
            case .suffix(let count): bytes.insert(ByteRange(size - count, size))
            case nil: bytes.insert(ByteRange(0, size))
            }
        }
    }
}
