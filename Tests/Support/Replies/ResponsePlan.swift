package import PawlCore

/// The response that the origin sends to one request, which replies make and modify.
package struct ResponsePlan: Sendable {
    /// The way in which the client learns where the body ends.
    package enum Framing: Hashable, Sendable {
        /// `Content-Length`, with the value of `declaredLength`.
        case length
        /// `Transfer-Encoding: chunked`; if it does not end properly, the last chunk is missing.
        case chunked(endsProperly: Bool)
        /// No length: the close of the connection ends the body.
        case untilClose
    }

    package var status = 200
    /// The reason phrase; `nil` is the usual phrase of the status.
    package var reason: String?
    /// The fields, sent in order before those of the framing, which they override.
    package var fields: [HTTPField] = []
    package var contentRange: SentRange?
    package var body: [BodyPiece] = []
    /// The value of `Content-Length`, by default the length of the body as first planned.
    package var declaredLength: Int64 = 0
    package var framing = Framing.length
    /// Whether a head is sent; if not, the body is sent verbatim.
    package var sendsHead = true
    /// The bytes to send verbatim before the head.
    package var preamble: [UInt8] = []
    /// Whether the body is sent repeatedly.
    package var repeatsBody = false
    /// The time before anything is sent.
    package var delay: Duration = .zero
    /// The latch that a test must open before anything is sent.
    package var headLatch: Latch?
    /// The speed of the body; `nil` means unlimited.
    package var bytesPerSecond: Int64?
    /// A link that the body shares with others.
    package var link: SharedLink?
    /// The actions at given points of the body.
    package var marks: [BodyMark] = []
    /// Whether the connection is closed cleanly after the response.
    package var closes = false
    /// A closure that writes the response instead.
    package var custom: (@Sendable (OriginExchange, OriginConnection) throws -> Void)?
    /// The closures to run when the exchange has ended, whatever its outcome.
    package var completions: [@Sendable () -> Void] = []

    package init() {}

    package init(status: Int, fields: [HTTPField] = [], body: [BodyPiece] = []) {
        self.status = status
        self.fields = fields
        self.body = body
        declaredLength = bodyLength
    }

    /// The actual number of bytes in the body.
    package var bodyLength: Int64 { body.reduce(0) { $0 + $1.count } }

    /// Returns the value of the first field of the given name.
    package func field(_ name: String) -> String? {
        fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// Replaces all fields of the given name with one.
    package mutating func setField(_ name: String, _ value: String) {
        removeFields(name)
        fields.append(HTTPField(name: name, value: value))
    }

    package mutating func removeFields(_ name: String) {
        fields.removeAll { $0.name.lowercased() == name.lowercased() }
    }
}

/// The `Content-Range` of a 206 (RFC 9110 §14.4).
package struct SentRange: Hashable, Sendable {
    package var range: ByteRange
    /// The total; `nil` is written as `*`.
    package var total: Int64?

    package init(_ range: ByteRange, total: Int64?) {
        self.range = range
        self.total = total
    }

    var text: String {
        "bytes \(range.start)-\(range.end - 1)/\(total.map(String.init) ?? "*")"
    }
}

/// A part of a body.
package enum BodyPiece: Sendable {
    case bytes([UInt8])
    /// Bytes that are generated while they are sent.
    case content(Resource.Content, ByteRange)

    package var count: Int64 {
        switch self {
        case .bytes(let bytes): Int64(bytes.count)
        case .content(_, let range): range.count
        }
    }

    /// Fills `buffer` with the bytes from `position` of this piece on.
    func fill(_ buffer: UnsafeMutableRawBufferPointer, at position: Int64) {
        switch self {
        case .bytes(let bytes): Resource.Content.bytes(bytes).fill(buffer, at: position)
        case .content(let content, let range): content.fill(buffer, at: range.start + position)
        }
    }
}

/// An action at a given point of a body.
package struct BodyMark: Sendable {
    package enum Action: Sendable {
        /// The connection ends.
        case end(Ending)
        /// Nothing more is sent, and the connection stays open until the client disconnects.
        case stall
        /// Nothing is sent for the given time.
        case pause(Duration)
        /// Nothing is sent until the test opens the latch.
        case hold(Latch)
        /// The closure runs on the connection's thread.
        case call(@Sendable () -> Void)
    }

    package var after: Int64
    package var action: Action

    package init(after: Int64, _ action: Action) {
        self.after = after
        self.action = action
    }
}
