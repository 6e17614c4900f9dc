/// Decides what a response's head means before any byte of its body is kept.
package enum HeadJudge {
    package static func judge(
        _ head: ResponseHead,
        expecting expected: HeadExpectation
    ) -> HeadVerdict {
        switch head.status {
        case 200: judgeWhole(head, expected)
        case 201...205 where expected.acceptsAnySuccess: judgeWhole(head, expected)
        case 206: judgePart(head, expected)
        case 416: .rangeNotSatisfiable(total: unsatisfiedTotal(head))
        case 301, 302, 303, 307, 308: judgeRedirect(head)
        case 400..<600:
            .status(
                head.status,
                reason: head.reason.sanitized(atMost: 100),
                retryAfter: RetryAfter.parse(head)
            )
        default: .malformed("the server answered \(statusLine(head)), which contains no file")
        }
    }

    /// Whether it is worth requesting ranges after this 200.
    package static func acceptsRanges(_ head: ResponseHead, _ whole: Representation) -> Bool {
        let refuses = (head["Accept-Ranges"] ?? "").listMembers.contains {
            $0.lowercased() == "none"
        }
        return !refuses && whole.total != nil && whole.contentEncoding == nil
    }

    private static func judgeWhole(
        _ head: ResponseHead,
        _ expected: HeadExpectation
    ) -> HeadVerdict {
        if case .malformed(let fault) = BodyFraming(of: head) { return .malformed(fault) }
        let whole = Representation(head: head)
        let acceptsRanges = acceptsRanges(head, whole)
        if let part = partSentAsWhole(head, whole) {
            let fault = "the server sent bytes \(part) of the file with status 200"
            return expected.asked == nil ? .malformed(fault) : .brokenRange(fault)
        }
        guard let pinned = expected.pinned else {
            // A download that starts over must not take an error page for a new version, either.
            return expected.former?.doubt(about: whole).map { .doubtful($0) }
                ?? .pin(whole, acceptsRanges: acceptsRanges)
        }
        guard expected.proof == .unchanged else {
            return .whole(whole, acceptsRanges: acceptsRanges)
        }
        if pinned.hasLostOnlyEntityTag(in: whole) { return .lostEntityTag(whole, range: nil) }
        return pinned.doubt(about: whole).map { .doubtful($0) }
            ?? .whole(whole, acceptsRanges: acceptsRanges)
    }

    /// Returns the range of a 200 that is a part of the file according to its `Content-Range`.
    ///
    /// Some servers add the field to the whole file, too.
    private static func partSentAsWhole(
        _ head: ResponseHead,
        _ whole: Representation
    ) -> ByteRange? {
        guard let field = head["Content-Range"],
            case .part(let range, let total) = ContentRange(parsing: field),
            whole.total == nil || whole.total == range.count
        else { return nil }
        return range == ByteRange(0, total ?? range.end) ? nil : range
    }

    private static func unsatisfiedTotal(_ head: ResponseHead) -> Int64? {
        guard let field = head["Content-Range"],
            case .unsatisfied(let total) = ContentRange(parsing: field)
        else { return nil }
        return total
    }

    private static func judgeRedirect(_ head: ResponseHead) -> HeadVerdict {
        let locations = Set(head.values("Location").map(\.trimmed)).filter { !$0.isEmpty }
        guard let location = locations.first else {
            return .malformed("the server answered \(statusLine(head)) without a Location")
        }
        guard locations.count == 1 else {
            return .malformed("the server answered \(statusLine(head)) with several Locations")
        }
        return .redirect(head, location: location)
    }

    private static func statusLine(_ head: ResponseHead) -> String {
        let reason = head.reason.sanitized(atMost: 100)
        return reason.isEmpty ? "\(head.status)" : "\(head.status) \(reason)"
    }

    /// Judges a 206.
    ///
    /// Its bytes may be written only if `Content-Range` proves their position.
    private static func judgePart(_ head: ResponseHead, _ expected: HeadExpectation) -> HeadVerdict
    {
        if case .malformed(let fault) = BodyFraming(of: head) { return .malformed(fault) }
        guard let asked = expected.asked else {
            return .malformed(
                "the server's 206 Partial Content does not contain all of what was requested"
            )
        }
        let seen = representation(ofPart: head, expected)
        if seen.mediaType == "multipart/byteranges" {
            return .brokenRange(
                "the server sent several ranges (multipart), but one was requested"
            )
        }
        if let coding = seen.contentEncoding {
            return .brokenRange(
                "the server sent a range of the file encoded as \(coding.sanitized(atMost: 40)), "
                    + "whose offsets are not those of the file"
            )
        }
        switch range(of: head, asked: asked) {
        case .refused(let reason): return .brokenRange(reason)
        case .proven(let range):
            guard case .sameFile(let digest, let isOnSameServer) = expected.proof,
                let pinned = expected.pinned
            else { return verdict(on: range, seen, pinned: expected.pinned) }
            let difference = pinned.difference(
                toAnotherSource: seen,
                digest: digest,
                isOnSameServer: isOnSameServer
            )
            return difference.map { .unproven($0) } ?? .write(range, seen)
        }
    }

    /// Returns the representation that a 206 describes.
    ///
    /// Some servers send the digest of the part in `Digest`, which belongs to the whole file (RFC
    /// 3230 §4.1.1). So only a digest that is already known counts.
    private static func representation(
        ofPart head: ResponseHead,
        _ expected: HeadExpectation
    ) -> Representation {
        var seen = Representation(head: head)
        guard head["Repr-Digest"] == nil else { return seen }
        var known = [expected.pinned?.digest]
        if case .sameFile(let digest, _) = expected.proof { known.append(digest) }
        if !known.contains(seen.digest) { seen.digest = nil }
        return seen
    }

    private enum RangeFinding {
        case proven(ByteRange)
        case refused(String)
    }

    private static func range(of head: ResponseHead, asked: ByteRange) -> RangeFinding {
        guard let field = head["Content-Range"] else {
            return .refused("the server sent a part without Content-Range")
        }
        guard case .part(let range, let total) = ContentRange(parsing: field) else {
            let shown = field.sanitized(atMost: 60)
            return .refused("the server sent the Content-Range '\(shown)', which is not valid")
        }
        guard range.start == asked.start, range.end <= asked.end else {
            return .refused("the server sent bytes \(range) instead of \(asked)")
        }
        guard total != nil else {
            return .refused("the server sent bytes \(range) without the length of the file")
        }
        if case .sound(let length?) = BodyFraming(of: head), length < range.count {
            return .refused("the server sent \(length) bytes as bytes \(range)")
        }
        return .proven(range)
    }

    private static func verdict(
        on range: ByteRange,
        _ seen: Representation,
        pinned: Representation?
    ) -> HeadVerdict {
        switch pinned?.compare(seen) {
        case .changed(let onlyEntityTag): .changed(seen, onlyEntityTag: onlyEntityTag)
        case .unproven where pinned?.hasLostOnlyEntityTag(in: seen) == true:
            .lostEntityTag(seen, range: range)
        case .unproven(let missing):
            .brokenRange(
                "the server sent bytes \(range) without the earlier \(missing), "
                    + "so nothing proves that the file is unchanged"
            )
        case .same, nil: .write(range, seen)
        }
    }
}
