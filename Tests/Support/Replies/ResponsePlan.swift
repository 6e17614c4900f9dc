package import PawlCore

/// What the origin will send for one request, and how: the value that replies make and modify.
package struct ResponsePlan: Sendable {
    /// How the client is told where the body ends.
    package enum Framing: Hashable, Sendable {
        /// `Content-Length`, as `declaredLength` says.
        case length
        /// `Transfer-Encoding: chunked`; improper is without the last chunk, then closed.
        case chunked(endsProperly: Bool)
        /// Neither: the close of the connection ends it.
        case untilClose
    }

    package var status = 200
    /// Nil is the status' usual phrase.
    package var reason: String?
    /// Sent in order, before those of the framing, which give way to fields of their name here.
    package var fields: [HTTPField] = []
    package var contentRange: ContentRange?
    package var body: [BodyPiece] = []
    /// What `Content-Length` says; by itself the length of the body as first planned.
    package var declaredLength: Int64 = 0
    package var framing = Framing.length
    /// Off, only the body is sent, verbatim.
    package var sendsHead = true
    /// Sent verbatim before the head.
    package var preamble: [UInt8] = []
    /// On, the body is sent again and again.
    package var repeatsBody = false
    /// How long nothing is sent at all.
    package var delay: Duration = .zero
    /// The body's speed; nil is as fast as it goes.
    package var bytesPerSecond: Int64?
    /// A line that the body shares with others.
    package var link: SharedLink?
    /// What happens at which point of the body.
    package var marks: [BodyMark] = []
    /// On, the connection is closed cleanly behind the response.
    package var closes = false
    /// In place of all that: talks by itself.
    package var custom: (@Sendable (OriginExchange, OriginConnection) throws -> Void)?
    /// Run when the exchange has ended, however it did.
    package var completions: [@Sendable () -> Void] = []

    package init() {}

    package init(status: Int, fields: [HTTPField] = [], body: [BodyPiece] = []) {
        self.status = status
        self.fields = fields
        self.body = body
        declaredLength = bodyLength
    }

    /// The bytes that the body really has.
    package var bodyLength: Int64 { body.reduce(0) { $0 + $1.count } }

    /// The value of the first field of that name.
    package func field(_ name: String) -> String? {
        fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// Puts one field in place of all of that name.
    package mutating func setField(_ name: String, _ value: String) {
        removeFields(name)
        fields.append(HTTPField(name: name, value: value))
    }

    package mutating func removeFields(_ name: String) {
        fields.removeAll { $0.name.lowercased() == name.lowercased() }
    }
}

/// What a 206 says of its place (RFC 9110 §14.4).
package struct ContentRange: Hashable, Sendable {
    package var range: ByteRange
    /// Nil is written as `*`.
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
    /// Made while it is sent.
    case content(Resource.Content, ByteRange)

    package var count: Int64 {
        switch self {
        case .bytes(let bytes): Int64(bytes.count)
        case .content(_, let range): range.count
        }
    }

    /// Fills all of `buffer` from `position` of this piece on.
    func fill(_ buffer: UnsafeMutableRawBufferPointer, at position: Int64) {
        switch self {
        case .bytes(let bytes): Resource.Content.bytes(bytes).fill(buffer, at: position)
        case .content(let content, let range): content.fill(buffer, at: range.start + position)
        }
    }
}

/// Something that happens once so many bytes of a body are sent.
package struct BodyMark: Sendable {
    package enum Action: Sendable {
        /// The connection ends.
        case end(Ending)
        /// Nothing more comes, and the connection stays until the client leaves.
        case stall
        /// Nothing comes for so long.
        case pause(Duration)
        /// Nothing comes until the test opens the latch.
        case hold(Latch)
        /// This is run, on the connection's thread.
        case call(@Sendable () -> Void)
    }

    package var after: Int64
    package var action: Action

    package init(after: Int64, _ action: Action) {
        self.after = after
        self.action = action
    }
}
