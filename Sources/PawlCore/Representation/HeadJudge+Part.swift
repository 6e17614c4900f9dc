extension HeadJudge {
    /// Judges a 206.
    ///
    /// Its bytes may be written only if `Content-Range` proves their position.
    static func judgePart(_ head: ResponseHead, _ expected: HeadExpectation) -> HeadVerdict {
        if case .malformed(let fault) = BodyFraming(of: head) { return .malformed(fault) }
        guard let asked = expected.asked else {
            return .malformed(
                "the server answered 206 Partial Content although no range was requested"
            )
        }
        let seen = Representation(head: head)
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
            guard case .sameFile(let digest) = expected.proof, let pinned = expected.pinned else {
                return verdict(on: range, seen, pinned: expected.pinned)
            }
            return pinned.difference(toAnotherSource: seen, digest: digest)
                .map { .unproven($0) } ?? .write(range, seen)
        }
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
