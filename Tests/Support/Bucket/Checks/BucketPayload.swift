import PawlCore

/// The payload of a request, after all of its checks.
struct BucketPayload {
    private(set) var bytes: [UInt8]
    /// The checksum that the client sent; it is right.
    private(set) var checksum: BucketChecksum?

    /// The minimum size of a chunk that is not the last.
    private static let leastChunkBytes = 8 << 10

    /// Removes the framing of `aws-chunked`, and compares the payload with all that the request
    /// says about it.
    init(of request: RecordedRequest, _ traits: BucketTraits) throws(BucketRefusal) {
        bytes = request.body
        var trailers: [HTTPField] = []
        let word = request["x-amz-content-sha256"] ?? ""
        if word == "STREAMING-UNSIGNED-PAYLOAD-TRAILER" {
            guard traits.acceptsTrailers else { throw .notImplemented("a trailer") }
            trailers = try Self.removeFraming(of: &bytes)
            try Self.checkFraming(request, bytes, trailers)
        } else if word.hasPrefix("STREAMING-") {
            throw .notImplemented("a payload with signed chunks")
        } else if word != "UNSIGNED-PAYLOAD" {
            guard word == DigestAlgorithm.sha256.digest(of: bytes).map(\.hexadecimal).joined()
            else {
                throw BucketRefusal(
                    400,
                    "XAmzContentSHA256Mismatch",
                    "The provided 'x-amz-content-sha256' header does not match what was computed."
                )
            }
        }
        try checkMD5(request)
        try checkChecksum(request.fields, trailers, traits.checksums)
    }

    private mutating func checkMD5(_ request: RecordedRequest) throws(BucketRefusal) {
        guard let text = request["Content-MD5"] else { return }
        guard let given = Base64.bytes(text), given.count == 16 else {
            throw BucketRefusal(400, "InvalidDigest", "The Content-MD5 you specified is not valid.")
        }
        guard given == DigestAlgorithm.md5.digest(of: bytes) else {
            throw BucketRefusal(
                400,
                "BadDigest",
                "The Content-MD5 you specified did not match what we received."
            )
        }
    }

    private mutating func checkChecksum(
        _ fields: [HTTPField],
        _ trailers: [HTTPField],
        _ support: BucketTraits.Support
    ) throws(BucketRefusal) {
        let prefix = "x-amz-checksum-"
        let given = (fields + trailers).filter {
            let name = $0.name.lowercased()
            return name.hasPrefix(prefix)
                && !["algorithm", "type", "mode"].contains(name.dropFirst(prefix.count))
        }
        guard let field = given.first else { return }
        switch support {
        case .supported: break
        case .refused: throw .notImplemented("a checksum")
        case .ignored: return
        }
        guard given.count == 1 else {
            throw .invalid("Expecting a single x-amz-checksum- header.")
        }
        let name = field.name.lowercased()
        guard let kind = BucketChecksum.Kind.allCases.first(where: { $0.field == name }) else {
            throw .notImplemented(name)
        }
        let right = BucketChecksum(kind, of: bytes)
        guard let value = Base64.bytes(field.value), value.count == right.bytes.count else {
            throw .invalid("Value for \(name) header is invalid.")
        }
        guard value == right.bytes else {
            throw BucketRefusal(
                400,
                "BadDigest",
                "The \(kind.rawValue) you specified did not match the calculated checksum."
            )
        }
        checksum = right
    }

    // MARK: - aws-chunked

    private static func malformed(_ what: String) -> BucketRefusal {
        BucketRefusal(400, "MalformedTrailerError", "The request's trailer is malformed: \(what).")
    }

    private static func incomplete() -> BucketRefusal {
        BucketRefusal(
            400,
            "IncompleteBody",
            "The request body terminated unexpectedly, or is not in the format of aws-chunked."
        )
    }

    /// Replaces the chunks by their bytes, and returns the fields that follow them.
    private static func removeFraming(of bytes: inout [UInt8]) throws(BucketRefusal) -> [HTTPField]
    {
        var payload: [UInt8] = []
        payload.reserveCapacity(bytes.count)
        var rest = bytes[...]
        var previous: Int?
        while true {
            guard let line = takeLine(&rest), let count = Int(line, radix: 16), count >= 0 else {
                throw incomplete()
            }
            if count == 0 { break }
            if let previous, previous < leastChunkBytes {
                throw BucketRefusal(
                    400,
                    "InvalidChunkSizeError",
                    "Only the last chunk is allowed to have a size less than 8192 bytes"
                )
            }
            previous = count
            guard rest.count >= count else { throw incomplete() }
            payload += rest.prefix(count)
            rest = rest.dropFirst(count)
            guard takeLine(&rest) == "" else { throw incomplete() }
        }
        var fields: [HTTPField] = []
        while true {
            guard let line = takeLine(&rest) else { throw malformed("it does not end") }
            if line.isEmpty { break }
            let sides = line.split(separator: ":", maxSplits: 1)
            guard sides.count == 2 else { throw malformed("a field has no value") }
            fields.append(HTTPField(name: String(sides[0]), value: sides[1].trimmed))
        }
        guard rest.isEmpty else { throw malformed("something follows it") }
        bytes = payload
        return fields
    }

    private static func takeLine(_ rest: inout ArraySlice<UInt8>) -> String? {
        // The lines of chunks and trailers are short.
        let window = rest.prefix(1 << 10)
        guard let end = window.firstIndex(of: 10), end > rest.startIndex, rest[end - 1] == 13
        else { return nil }
        defer { rest = rest[(end + 1)...] }
        return String(decoding: rest[..<(end - 1)], as: UTF8.self)
    }

    private static func checkFraming(
        _ request: RecordedRequest,
        _ payload: [UInt8],
        _ trailers: [HTTPField]
    ) throws(BucketRefusal) {
        let codings = request["Content-Encoding"]?.lowercased() ?? ""
        guard codings.split(separator: ",").contains(where: { $0.trimmed == "aws-chunked" }) else {
            throw .invalid("The body's framing is that of aws-chunked, Content-Encoding is not.")
        }
        guard let length = request["x-amz-decoded-content-length"].flatMap({ Int($0) }) else {
            throw BucketRefusal(
                411,
                "MissingContentLength",
                "You must provide the x-amz-decoded-content-length header."
            )
        }
        guard length == payload.count else { throw incomplete() }
        let announced = (request["x-amz-trailer"] ?? "").lowercased()
            .split(separator: ",").map(\.trimmed)
        guard announced.sorted() == trailers.map({ $0.name.lowercased() }).sorted() else {
            throw malformed("x-amz-trailer announces other fields")
        }
    }
}
