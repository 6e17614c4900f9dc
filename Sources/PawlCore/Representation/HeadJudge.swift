/// Decides what a response's head means before any byte of its body is kept.
package enum HeadJudge {
    package static func judge(
        _ head: ResponseHead,
        expecting expected: HeadExpectation
    ) -> HeadVerdict {
        switch head.status {
        case 200: judgeWhole(head, expected)
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
        guard let pinned = expected.pinned else {
            // A download that starts over must not take an error page for a new version, either.
            return expected.former?.doubt(about: whole).map(refusal)
                ?? .pin(whole, acceptsRanges: acceptsRanges)
        }
        guard expected.proof == .unchanged, let doubt = pinned.doubt(about: whole) else {
            return .whole(whole, acceptsRanges: acceptsRanges)
        }
        if pinned.hasLostOnlyEntityTag(in: whole) { return .lostEntityTag(whole, range: nil) }
        return refusal(doubt)
    }

    private static func refusal(_ doubt: WholeDoubt) -> HeadVerdict {
        switch doubt {
        case .webPage: .captivePortal
        case .missing(let what): .unprovenWhole(missing: what)
        case .otherLength: .unprovenWhole(missing: "length")
        }
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
        return .redirect(location: location)
    }

    private static func statusLine(_ head: ResponseHead) -> String {
        let reason = head.reason.sanitized(atMost: 100)
        return reason.isEmpty ? "\(head.status)" : "\(head.status) \(reason)"
    }
}
