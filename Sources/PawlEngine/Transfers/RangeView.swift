internal import PawlCore

/// Makes a part of a server's file look like a file of its own, to everything but the transport.
struct RangeView: Sendable {
    private let part: ByteRange
    private let name: String

    init(_ range: FileRange) {
        part = range.byteRange
        name = "bytes=" + range.text
    }

    /// Returns a request for the same bytes of the server's file.
    func request(_ request: TransferRequest) -> TransferRequest {
        var request = request
        let asked = request.range ?? ByteRange(0, .max)
        let end = part.start.addingReportingOverflow(asked.end)
        request.range = ByteRange(
            part.start + asked.start,
            end.overflow ? part.end : min(part.end, end.partialValue)
        )
        return request
    }

    /// Returns the head of the part's response, and the bytes of the body that belong to the part.
    ///
    /// `isWhole`: whether the whole part was requested.
    func view(_ head: ResponseHead, isWhole: Bool) -> (head: ResponseHead, body: ByteRange) {
        let all = ByteRange(0, .max)
        var seen = head
        // The digests are those of the server's file.
        seen.fields.removeAll { Self.describesFile($0) }
        mark(&seen)
        switch head.status {
        case 200: return (viewOfWhole(seen), part)
        case 206: return (viewOfPart(seen, isWhole: isWhole), all)
        case 416:
            if let field = head["Content-Range"],
                case .unsatisfied(let total)? = ContentRange(parsing: field)
            {
                seen.replace("Content-Range", with: "bytes */\(length(of: total))")
            }
            return (seen, all)
        default: return (head, all)
        }
    }

    /// The number of bytes of the part if the server's file has `total` bytes.
    private func length(of total: Int64) -> Int64 { max(0, min(total, part.end) - part.start) }

    /// Describes the part in a response that ignores the range.
    private func viewOfWhole(_ head: ResponseHead) -> ResponseHead {
        var head = head
        head.replace("Accept-Ranges", with: "none")
        guard case .sound(let total?) = BodyFraming(of: head) else { return head }
        let isThere = total > part.start && Representation(head: head).contentEncoding == nil
        guard isThere else {
            // The file has no such part, or only in an encoding, whose offsets are others.
            (head.status, head.reason) = (416, "Range Not Satisfiable")
            head.replace("Content-Range", with: "bytes */0")
            return head
        }
        head.replace("Content-Length", with: "\(length(of: total))")
        return head
    }

    private func viewOfPart(_ head: ResponseHead, isWhole: Bool) -> ResponseHead {
        guard let field = head["Content-Range"],
            case .part(let sent, let total?)? = ContentRange(parsing: field),
            sent.start >= part.start
        else { return head }
        let range = ByteRange(sent.start - part.start, sent.end - part.start)
        let length = length(of: total)
        var head = head
        guard isWhole else {
            head.replace("Content-Range", with: "bytes \(range)/\(length)")
            return head
        }
        // A shorter response stays what it is: one that was not requested.
        guard range == ByteRange(0, length) else { return head }
        (head.status, head.reason) = (200, "OK")
        head.replace("Content-Range", with: nil)
        head.replace("Content-Length", with: "\(length)")
        head.replace("Accept-Ranges", with: "bytes")
        return head
    }

    /// Makes the entity tag that of the part: the bytes of two parts are never those of one file.
    private func mark(_ head: inout ResponseHead) {
        guard let tag = head["ETag"]?.trimmed, !tag.isEmpty else {
            return head.replace("ETag", with: "W/\"\(name)\"")
        }
        let isQuoted = tag.count > 1 && tag.hasSuffix("\"")
        let marked = isQuoted ? "\(tag.dropLast());\(name)\"" : "\"\(tag);\(name)\""
        head.replace("ETag", with: marked)
    }

    /// Returns the end of the part in the entity tag of a part; `nil` if it has none.
    static func end(markedIn tag: EntityTag) -> Int64? {
        let pieces = tag.opaque.split(separator: "=")
        guard pieces.count > 1, pieces.dropLast().last?.hasSuffix("bytes") == true,
            let ends = pieces.last?.split(separator: "-"), ends.count == 2,
            let last = Int64(ends[1].prefix { $0 != "\"" }), last >= 0, last < .max
        else { return nil }
        return last + 1
    }

    private static func describesFile(_ field: HTTPField) -> Bool {
        let name = field.name.lowercased()
        let digests = ["repr-digest", "content-digest", "digest", "content-md5", "x-goog-hash"]
        return digests.contains(name) || name.hasPrefix("x-amz-checksum-")
    }
}

extension ResponseHead {
    /// Replaces all fields of a name; `nil` removes them.
    fileprivate mutating func replace(_ name: String, with value: String?) {
        fields.removeAll { $0.hasName(name) }
        if let value { fields.append(HTTPField(name: name, value: value)) }
    }
}
