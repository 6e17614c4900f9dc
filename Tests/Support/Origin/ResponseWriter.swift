import PawlCore

/// A writer that sends the response of one plan on a connection.
struct ResponseWriter {
    private let channel: ByteChannel
    private let plan: ResponsePlan
    private let noteSent: (Int64) -> Void
    private let clock = SystemTimekeeper()
    private var pace: BodyPace
    private var marks: [BodyMark]
    private var sent: Int64 = 0
    private static let bufferBytes: Int64 = 256 * 1024

    init(channel: ByteChannel, plan: ResponsePlan, noteSent: @escaping (Int64) -> Void) {
        self.channel = channel
        self.plan = plan
        self.noteSent = noteSent
        pace = BodyPace(bytesPerSecond: plan.bytesPerSecond, link: plan.link)
        marks = plan.marks.sorted { $0.after < $1.after }
    }

    /// Writes the response and returns whether the connection can be reused.
    mutating func write(method: String) throws(ConnectionEnd) -> Bool {
        if let latch = plan.headLatch { try channel.wait(for: latch) }
        if plan.delay > .zero { try channel.wait(until: clock.now() + plan.delay) }
        try channel.send(plan.preamble)
        if plan.sendsHead { try channel.send(head) }
        if method != "HEAD" || !plan.sendsHead { try writeBody() }
        guard endsWithClose else { return true }
        channel.finish(.close)
        return false
    }

    private var endsWithClose: Bool {
        switch plan.framing {
        case .length: plan.closes
        case .chunked(let endsProperly): plan.closes || !endsProperly
        case .untilClose: true
        }
    }

    private var head: [UInt8] {
        var lines = ["HTTP/1.1 \(plan.status) \(plan.reason ?? Self.phrase(plan.status))"]
        lines += (plan.fields + framingFields).map { "\($0.name): \($0.value)" }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }

    private var framingFields: [HTTPField] {
        var fields: [HTTPField] = []
        func add(_ name: String, _ value: String) {
            if plan.field(name) == nil { fields.append(HTTPField(name: name, value: value)) }
        }
        if let contentRange = plan.contentRange { add("Content-Range", contentRange.text) }
        switch plan.framing {
        case .length where plan.status == 204 || plan.status == 304: break
        case .length: add("Content-Length", "\(plan.declaredLength)")
        case .chunked: add("Transfer-Encoding", "chunked")
        case .untilClose: add("Connection", "close")
        }
        return fields
    }

    private mutating func writeBody() throws(ConnectionEnd) {
        let length = plan.bodyLength
        let capacity = Int(min(Self.bufferBytes, max(1, length)))
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 16)
        defer { buffer.deallocate() }
        repeat {
            for piece in plan.body { try write(piece, buffer) }
        } while plan.repeatsBody && length > 0
        try performMarks()
        if plan.framing == .chunked(endsProperly: true) {
            try channel.send(Array("0\r\n\r\n".utf8))
        }
    }

    private mutating func write(_ piece: BodyPiece, _ buffer: UnsafeMutableRawBufferPointer)
        throws(ConnectionEnd)
    {
        var position: Int64 = 0
        while position < piece.count {
            try performMarks()
            let toMark = marks.first.map { $0.after - sent } ?? .max
            let count = min(
                piece.count - position,
                Int64(buffer.count),
                toMark,
                pace.sliceBytes
            )
            let slice = UnsafeMutableRawBufferPointer(rebasing: buffer[0..<Int(count)])
            piece.fill(slice, at: position)
            if let moment = pace.moment(for: count, now: clock.now()) {
                try channel.wait(until: moment)
            }
            try send(UnsafeRawBufferPointer(slice))
            position += count
            sent += count
            noteSent(count)
        }
    }

    private func send(_ slice: UnsafeRawBufferPointer) throws(ConnectionEnd) {
        guard plan.sendsHead, case .chunked = plan.framing else {
            try channel.send(slice)
            return
        }
        try channel.send(Array("\(String(slice.count, radix: 16))\r\n".utf8))
        try channel.send(slice)
        try channel.send([13, 10])
    }

    /// Performs the actions that are due at this point of the body.
    private mutating func performMarks() throws(ConnectionEnd) {
        while let mark = marks.first, mark.after <= sent {
            marks.removeFirst()
            switch mark.action {
            case .end(let ending):
                channel.finish(ending)
                throw .cut
            case .stall: try channel.waitForClientToLeave()
            case .pause(let time): try channel.wait(until: clock.now() + time)
            case .hold(let latch): try channel.wait(for: latch)
            case .call(let body): body()
            }
        }
    }

    private static func phrase(_ status: Int) -> String {
        let phrases = [
            200: "OK", 204: "No Content", 206: "Partial Content", 301: "Moved Permanently",
            302: "Found", 303: "See Other", 304: "Not Modified", 307: "Temporary Redirect",
            308: "Permanent Redirect", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found",
            405: "Method Not Allowed", 410: "Gone", 416: "Range Not Satisfiable",
            429: "Too Many Requests", 500: "Internal Server Error", 502: "Bad Gateway",
            503: "Service Unavailable", 504: "Gateway Timeout",
        ]
        return phrases[status] ?? "Status"
    }
}
