/// The verdict on a head for a request whose response is not part of a file.
package enum StreamVerdict: Hashable, Sendable {
    /// The body is the response; `length` is `nil` if the head does not declare it.
    case accept(length: Int64?)
    /// A 301, 302, 303, 307 or 308, with the location as received.
    case redirect(location: String)
    /// A 4xx or 5xx.
    case status(Int, reason: String, retryAfter: Duration?)
    /// Framing that contradicts itself, or a status that is not valid for the request.
    case malformed(String)
    /// A content coding that the transport cannot decode.
    case undecodable(String)
    /// A body longer than the limit.
    case tooLarge(length: Int64)
}

/// Decides what a response's head means before a byte of its body is kept.
package struct StreamHeadJudge: Sendable {
    package var method: String
    /// The fields of the request: they show whether a range or a 304 was requested.
    package var fields: [HTTPField]
    /// Whether a 4xx or 5xx is a response like any other.
    package var acceptsErrorStatuses: Bool
    /// The maximum length of the body; `nil` allows any.
    package var limit: Int64?

    package init(
        method: String,
        fields: [HTTPField],
        acceptsErrorStatuses: Bool = false,
        limit: Int64? = nil
    ) {
        self.method = method
        self.fields = fields
        self.acceptsErrorStatuses = acceptsErrorStatuses
        self.limit = limit
    }

    package func judge(_ head: ResponseHead) -> StreamVerdict {
        switch head.status {
        case 206 where !asks("Range"):
            return .malformed(
                "the server answered 206 Partial Content although no range was requested"
            )
        case 200..<300: return accept(head)
        case 304 where asks("If-None-Match") || asks("If-Modified-Since"): return accept(head)
        case 400..<600 where acceptsErrorStatuses: return accept(head)
        case 416:
            return .status(416, reason: head.reason.sanitized(atMost: 100), retryAfter: nil)
        default: return judgeAsFile(head)
        }
    }

    private func asks(_ name: String) -> Bool { fields.contains { $0.hasName(name) } }

    private func accept(_ head: ResponseHead) -> StreamVerdict {
        switch BodyFraming(of: head) {
        case .malformed(let fault): return .malformed(fault)
        case .sound(let length):
            guard hasBody(head) else { return .accept(length: 0) }
            if head.decoding == .impossible, length != 0 {
                let coding = Representation.contentEncoding(head["Content-Encoding"]) ?? ""
                return .undecodable(coding)
            }
            // The length of an encoded body bounds that of the decoded one only roughly.
            guard head.decoding == .none else { return .accept(length: nil) }
            if let length, let limit, length > limit { return .tooLarge(length: length) }
            return .accept(length: length)
        }
    }

    /// Returns whether a body follows (RFC 9112 §6.3).
    private func hasBody(_ head: ResponseHead) -> Bool {
        method != "HEAD" && head.status != 204 && head.status != 304
    }

    private func judgeAsFile(_ head: ResponseHead) -> StreamVerdict {
        switch HeadJudge.judge(head, expecting: HeadExpectation()) {
        case .redirect(_, let location): .redirect(location: location)
        case .status(let status, let reason, let retryAfter):
            .status(status, reason: reason, retryAfter: retryAfter)
        case .malformed(let fault): .malformed(fault)
        default: .malformed("the server answered \(head.status), which does not fit the request")
        }
    }
}
