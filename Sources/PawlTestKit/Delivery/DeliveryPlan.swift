#if canImport(Glibc)
internal import func Glibc.time
#else
internal import func Darwin.time
#endif
internal import PawlCore

/// What a response does, step by step.
enum DeliveryStep: Sendable {
    case hold(ResponseHold)
    case head(ResponseHead)
    /// Bytes of the response's body.
    case bytes(Range<Int>)
    case end(TransferOutcome)
}

/// Decides how a scripted response answers one request, according to RFC 9110.
struct DeliveryPlan {
    private let response: ScriptedResponse
    private let request: ScriptedRequest
    /// The fields of the version of the file, as the test has changed them.
    private let fields: [HTTPField]
    /// Whether the body is sent with a content coding, which the session decodes.
    private let isEncoded: Bool
    private let decodes: Bool

    /// Creates a plan.
    ///
    /// `decodes` is whether the session accepts content codings and expects decoded bytes.
    init(_ response: ScriptedResponse, to request: ScriptedRequest, decodes: Bool) {
        (self.response, self.request, self.decodes) = (response, request, decodes)
        isEncoded = response.isCompressed && decodes
        fields = response.changing(response.fields)
    }

    var steps: [DeliveryStep] {
        if let offset = response.unreachedMark { return [.end(unreached(offset))] }
        let holds = response.holds.map { DeliveryStep.hold($0) }
        if let failure = response.failure { return holds + [.end(failure.outcome)] }
        let (head, range) = answer()
        guard let range else { return holds + [.head(head), .end(.completed)] }
        guard !isEncoded, let length = head["Content-Length"].flatMap({ Int($0) }),
            length != range.count, length >= 0
        else { return holds + [.head(head)] + body(range, .completed) }
        // The test has set another length than that of the body.
        let sent = range.prefix(length)
        let end = TransferOutcome.failed(TransferFailure(.bodyIncomplete, "scripted"))
        return holds + [.head(head)] + body(sent, length > range.count ? end : .completed)
    }

    /// The steps of the body: its bytes up to each mark, in order, and the end.
    private func body(_ range: Range<Int>, _ outcome: TransferOutcome) -> [DeliveryStep] {
        var steps: [DeliveryStep] = []
        var start = range.lowerBound
        for (offset, mark) in response.marksInOrder where offset <= range.count {
            let end = range.lowerBound + max(0, offset)
            if start < end { steps.append(.bytes(start..<end)) }
            start = max(start, end)
            switch mark {
            case .hold(let hold): steps.append(.hold(hold))
            case .failure(let failure): return steps + [.end(failure.outcome)]
            }
        }
        if start < range.upperBound { steps.append(.bytes(start..<range.upperBound)) }
        return steps + [.end(outcome)]
    }

    /// Returns the end of a response whose script contains a mark that no response reaches.
    ///
    /// A test must not pass because of a failure that never happens.
    private func unreached(_ offset: Int) -> TransferOutcome {
        let text =
            "\(request.text): the scripted response is shorter than \(offset) bytes, after which "
            + "it should break or wait"
        return .failed(TransferFailure(.notScripted, text))
    }

    /// Returns the head, and the bytes of the body that follow it; `nil` for a response without a
    /// body.
    private func answer() -> (ResponseHead, Range<Int>?) {
        let whole = 0..<response.body.count
        guard response.servesRanges, ["GET", "HEAD"].contains(request.method) else {
            return (head(response.status, length: whole.count), sent(whole))
        }
        if isUnchanged { return (head(304), nil) }
        guard request.method == "GET", let asked = request.range, rangeConditionHolds else {
            return (head(200, length: whole.count), sent(whole))
        }
        guard let range = asked.resolve(size: Int64(whole.count)) else {
            let contentRange = HTTPField(name: "Content-Range", value: "bytes */\(whole.count)")
            return (head(416, length: 0, [contentRange]), 0..<0)
        }
        let contentRange = "bytes \(range.start)-\(range.end - 1)/\(whole.count)"
        let field = HTTPField(name: "Content-Range", value: contentRange)
        return (
            head(206, length: Int(range.count), [field]), Int(range.start)..<Int(range.end)
        )
    }

    /// The bytes that are sent of a whole body; `nil` for a response without a body.
    private func sent(_ whole: Range<Int>) -> Range<Int>? {
        request.method == "HEAD" || [204, 304].contains(response.status) ? nil : whole
    }

    private func head(_ status: Int, length: Int? = nil, _ more: [HTTPField] = []) -> ResponseHead {
        var all = [HTTPField(name: "Date", value: Self.date)] + response.fields + more
        if isEncoded {
            all.append(HTTPField(name: "Content-Encoding", value: "gzip"))
            all.append(HTTPField(name: "Transfer-Encoding", value: "chunked"))
        } else if let length, status != 204 {
            all.append(HTTPField(name: "Content-Length", value: "\(length)"))
        }
        var head = ResponseHead(
            url: request.url,
            status: status,
            fields: response.changing(all)
        )
        if isEncoded {
            head.decoding = .decoded
        } else if decodes, Representation.contentEncoding(head["Content-Encoding"]) != nil {
            // The test has set the field, but its body cannot be decoded here.
            head.decoding = .impossible
        }
        return head
    }

    private static var date: String { HTTPDate(secondsSince1970: Int64(time(nil))).text }

    // MARK: - Conditions

    /// Whether a condition of the request is met by the version that the client has (RFC 9110
    /// §13.1.2, §13.1.3).
    private var isUnchanged: Bool {
        if let condition = request["If-None-Match"] {
            return condition == "*" || entityTag.map { condition.contains($0) } ?? false
        }
        guard let since = request["If-Modified-Since"].flatMap(HTTPDate.init(parsing:)),
            let last = lastModified.flatMap(HTTPDate.init(parsing:))
        else { return false }
        return last.secondsSince1970 <= since.secondsSince1970
    }

    /// Whether If-Range holds: a strong entity tag or a date, each compared exactly (RFC 9110
    /// §13.1.5).
    private var rangeConditionHolds: Bool {
        guard let condition = request["If-Range"] else { return true }
        if condition.hasPrefix("\"") { return condition == entityTag }
        return condition == lastModified
    }

    private var entityTag: String? { fields.first { $0.hasName("ETag") }?.value }
    private var lastModified: String? { fields.first { $0.hasName("Last-Modified") }?.value }
}

extension ScriptedRequest {
    fileprivate var range: RequestedRange? { self["Range"].flatMap(RequestedRange.init(field:)) }
}

extension ScriptedResponse {
    /// Returns the fields with the test's changes.
    fileprivate func changing(_ fields: [HTTPField]) -> [HTTPField] {
        var fields = fields
        for (name, value) in changes {
            fields.removeAll { $0.hasName(name) }
            if let value { fields.append(HTTPField(name: name, value: value)) }
        }
        return fields
    }
}
