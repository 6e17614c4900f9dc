internal import func Glibc.time
internal import PawlCore
internal import struct FoundationEssentials.URL

/// Collects the heads of one exchange line by line and keeps the newest.
struct HeadCollector {
    /// The limit for all heads of the exchange together, including interim ones.
    private static let byteLimit = 256 * 1024
    private static let fieldLimit = 1_000

    /// Whether a body can follow.
    ///
    /// It cannot if the request was HEAD (RFC 9112 §6.3).
    private let hasBody: Bool
    private var byteCount = 0
    private var fieldCount = 0
    private var isComplete = false
    private var protocolVersion = ""
    private var status = 0
    private var reason = ""
    private var fields: [HTTPField] = []
    /// The number of cookies that heads of the exchange have set, interim responses included.
    private(set) var cookieCount = 0

    init(hasBody: Bool = true) { self.hasBody = hasBody }

    /// Whether a head other than an interim one (1xx) is complete.
    var isFinal: Bool { isComplete && status >= 200 }

    /// Whether the response refuses the request because of its field `Expect`.
    var refusesExpectation: Bool { isComplete && status == 417 }

    var isSuccess: Bool { isComplete && (200..<300).contains(status) }

    /// Whether the head alone decides how to proceed.
    ///
    /// libcurl handles none of these itself.
    var isDecisive: Bool { isSuccess || isRedirect || isRefusal }

    /// libcurl may answer 401 and 407 with credentials, and 417 with a request that does not expect
    /// `100 (Continue)`.
    private var isRefusal: Bool {
        isComplete && status >= 400 && ![401, 407, 417].contains(status)
    }

    private var isRedirect: Bool {
        isComplete && (300..<400).contains(status) && fields.contains { $0.hasName("Location") }
    }

    /// Whether the body ends only with the connection (RFC 9112 §6.3).
    ///
    /// HTTP/2 frames every body.
    var isCloseDelimited: Bool {
        guard hasBody, isFinal, status != 204, status != 304, protocolVersion.hasPrefix("HTTP/1")
        else {
            return false
        }
        return !fields.contains { $0.hasName("Content-Length") }
            && !transferCodings.contains("chunked")
    }

    /// The codings in `Transfer-Encoding`, without `identity`, which once meant none (RFC 2616
    /// §3.6).
    private var transferCodings: [String] {
        fields.lazy.filter { $0.hasName("Transfer-Encoding") }
            .flatMap { $0.value.split(separator: ",") }
            .map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
            .filter { !$0.isEmpty && $0 != "identity" }
    }

    func finalHead(url: URL) -> ResponseHead? {
        guard isFinal else { return nil }
        var fields = fields
        if !fields.contains(where: { $0.hasName("Date") }) {
            // A recipient with a clock adds a missing date (RFC 9110 §6.6.1).
            let now = HTTPDate(secondsSince1970: Int64(time(nil)))
            fields.append(HTTPField(name: "Date", value: now.text))
        }
        return ResponseHead(
            url: url,
            status: status,
            reason: reason,
            protocolVersion: protocolVersion,
            fields: fields
        )
    }

    /// Counts a line, which libcurl keeps in memory.
    mutating func count(_ line: UnsafeRawBufferPointer) throws(TransferFailure) {
        byteCount += line.count
        guard byteCount <= Self.byteLimit else {
            throw TransferFailure(
                .malformedResponse,
                "the response header is longer than \(Self.byteLimit) bytes"
            )
        }
    }

    mutating func take(_ line: UnsafeRawBufferPointer) throws(TransferFailure) {
        try count(line)
        let text = line.trimmedOfEndOfLine
        if text.starts(with: "HTTP/".utf8) {
            try beginHead(text)
        } else if text.isEmpty {
            isComplete = true
            cookieCount += fields.count { $0.hasName("Set-Cookie") }
            if isSuccess { try checkTransferCodings() }
        } else if !isComplete {
            try takeField(text)
        }
    }

    private mutating func beginHead(_ line: Slice<UnsafeRawBufferPointer>) throws(TransferFailure) {
        let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 2)
        guard parts.count >= 2, let status = Int(parts[1].headText), (100...999).contains(status)
        else {
            throw TransferFailure(
                .malformedResponse,
                "invalid status line: \(line.prefix(80).headText.sanitized)"
            )
        }
        // libcurl would take what follows for a body, and no request asks for another protocol (RFC
        // 9110 §15.2.2).
        guard status != 101 else {
            throw TransferFailure(.malformedResponse, "the server switched to another protocol")
        }
        self.status = status
        protocolVersion = parts[0].headText
        reason = parts.count > 2 ? parts[2].headText : ""
        fields = []
        isComplete = false
    }

    /// Checks the transfer codings.
    ///
    /// No request offers any except chunked, the only one that is decoded (RFC 9112 §7).
    private func checkTransferCodings() throws(TransferFailure) {
        let codings = transferCodings
        guard codings.isEmpty || codings == ["chunked"] else {
            throw TransferFailure(
                .malformedResponse,
                "unknown Transfer-Encoding: \(codings.joined(separator: ", ").sanitized)"
            )
        }
    }

    private mutating func takeField(_ line: Slice<UnsafeRawBufferPointer>) throws(TransferFailure) {
        if let first = line.first, first.isBlank {
            // The continuation of a field on the next line: obsolete, but still seen (RFC 9112
            // §5.2).
            guard let last = fields.indices.last else { return }
            fields[last].value += " " + line.trimmedOfBlanks.headText
            return
        }
        fieldCount += 1
        guard fieldCount <= Self.fieldLimit else {
            throw TransferFailure(.malformedResponse, "more than \(Self.fieldLimit) header fields")
        }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return }
        // The name is not trimmed: libcurl does not accept `Length : 5` as a length, so nothing
        // else may.
        let value = line[line.index(after: colon)...].trimmedOfBlanks
        fields.append(HTTPField(name: line[..<colon].headText, value: value.headText))
    }
}

extension UInt8 {
    fileprivate var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }
    fileprivate var isEndOfLine: Bool { self == UInt8(ascii: "\r") || self == UInt8(ascii: "\n") }
}

extension UnsafeRawBufferPointer {
    fileprivate var trimmedOfEndOfLine: Slice<UnsafeRawBufferPointer> {
        var end = endIndex
        while end > startIndex, self[end - 1].isEndOfLine { end -= 1 }
        return self[startIndex..<end]
    }
}

extension Slice<UnsafeRawBufferPointer> {
    fileprivate var trimmedOfBlanks: Self {
        var rest = drop(while: \.isBlank)
        while let last = rest.last, last.isBlank { rest.removeLast() }
        return rest
    }

    /// The bytes as UTF-8 if they are valid, otherwise as Latin-1, which HTTP once prescribed (RFC
    /// 9110 §5.5).
    fileprivate var headText: String {
        let bytes = UnsafeRawBufferPointer(rebasing: self).assumingMemoryBound(to: UInt8.self)
        // This is nearly always the case, and checking for UTF-8 takes ten times as long.
        if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        var text = String.UnicodeScalarView()
        for byte in self { text.append(Unicode.Scalar(byte)) }
        return String(text)
    }
}
