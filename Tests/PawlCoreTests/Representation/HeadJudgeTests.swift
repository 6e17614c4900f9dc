import PawlCore
import Testing

/// The rows of "Judging a head" for statuses other than 206.
@Suite(.timeLimit(.minutes(5)))
struct HeadJudgeTests {
    private static let whole = ResponseHead(
        200,
        [
            "Content-Length": "1000", "ETag": "\"a\"", "Last-Modified": tuesday,
            "Date": wednesday, "Content-Type": "application/x-iso9660-image",
        ]
    )
    private static let onResume = HeadExpectation(asked: ByteRange(500, 1000), pinned: .pinned)

    @Test func `a first 200 is pinned`() {
        let verdict = HeadJudge.judge(Self.whole, expecting: HeadExpectation())
        #expect(verdict == .pin(.pinned, acceptsRanges: true))
    }

    @Test(arguments: [
        (whole.with("Accept-Ranges", "bytes"), true),
        (whole.with("Accept-Ranges", "none"), false),
        (whole.with("Accept-Ranges", " None "), false),
        (whole.with("Content-Length", nil), false),
        (whole.with("Content-Encoding", "gzip"), false),
        (whole.with("Content-Encoding", "identity"), true),
    ])
    func `the first head shows whether ranges are likely`(head: ResponseHead, expected: Bool) {
        guard
            case .pin(_, let acceptsRanges) = HeadJudge.judge(head, expecting: HeadExpectation())
        else {
            Issue.record("not pinned")
            return
        }
        #expect(acceptsRanges == expected)
    }

    @Test func `a 200 to a range before anything is pinned is the whole file`() {
        let asked = HeadExpectation(asked: ByteRange(500, 1000))
        #expect(
            HeadJudge.judge(Self.whole, expecting: asked) == .pin(.pinned, acceptsRanges: true)
        )
    }

    @Test(arguments: [onResume, HeadExpectation(pinned: .pinned)])
    func `a 200 that matches the pinned file is the whole file`(expected: HeadExpectation) {
        #expect(
            HeadJudge.judge(Self.whole, expecting: expected)
                == .whole(.pinned, acceptsRanges: true)
        )
    }

    @Test(arguments: [
        whole.with("ETag", "\"b\""), whole.with("Content-Length", "999"),
        whole.with("ETag", "\"b\"").with("Last-Modified", nil),
        whole.with("ETag", nil).with("Last-Modified", wednesday),
        whole.with("Last-Modified", wednesday),
        whole.with("ETag", "\"b\"").with("Content-Encoding", "gzip"),
    ])
    func `a 200 of another version is not the same file`(head: ResponseHead) {
        guard case .whole(let seen, _) = HeadJudge.judge(head, expecting: Self.onResume) else {
            Issue.record("not judged as a whole file")
            return
        }
        #expect(!Representation.pinned.isProvenSame(seen))
    }

    @Test(arguments: [
        (whole.with("ETag", nil).with("Content-Length", "999"), "ETag"),
        (whole.with("ETag", nil).with("Content-Type", "text/plain"), "ETag"),
        (whole.with("Last-Modified", nil).with("ETag", "W/\"a\""), "Last-Modified"),
        (whole.with("ETag", nil).with("Last-Modified", nil), "ETag"),
        (ResponseHead(200, ["Content-Length": "900"]), "ETag"),
        (ResponseHead(200, ["Content-Length": "9", "Content-Type": "application/json"]), "ETag"),
    ])
    func `a 200 that lacks the file's validators is an error page`(
        head: ResponseHead,
        missing: String
    ) {
        for expected in [Self.onResume, HeadExpectation(pinned: .pinned)] {
            let verdict = HeadJudge.judge(head, expecting: expected)
            #expect(verdict == .doubtful(.missing(missing)))
        }
    }

    @Test func `a 200 that lacks only the strong tag may be compared`() {
        let dateless = Representation.pinned.with { $0.lastModified = nil }
        let weakened = Self.whole.with("Last-Modified", nil).with("ETag", "W/\"a\"")
        for (head, pinned) in [(Self.whole.with("ETag", nil), .pinned), (weakened, dateless)] {
            let expected = HeadExpectation(asked: ByteRange(500, 1000), pinned: pinned)
            let verdict = HeadJudge.judge(head, expecting: expected)
            guard case .lostEntityTag(_, range: nil) = verdict else {
                Issue.record("\(verdict)")
                continue
            }
        }
    }

    @Test func `a 200 of unknown length with the pinned validators is the same file`() {
        let head = Self.whole.with("Content-Length", nil)
        guard case .whole(let seen, _) = HeadJudge.judge(head, expecting: Self.onResume) else {
            Issue.record("refused")
            return
        }
        #expect(Representation.pinned.isProvenSame(seen))
    }

    @Test(arguments: ["\"a\"", "W/\"b\""])
    func `an encoded 200 that proves no change is refused`(tag: String) {
        let head = Self.whole.with("Content-Encoding", "gzip").with("ETag", tag)
        #expect(
            HeadJudge.judge(head, expecting: Self.onResume) == .doubtful(.encoded("gzip"))
        )
        let former = FormerRepresentation(.pinned, isOfSameSource: true)
        guard case .pin = HeadJudge.judge(head, expecting: HeadExpectation(former: former)) else {
            Issue.record("refused although there are no bytes to keep")
            return
        }
    }

    @Test func `a message whose weak tag differs does not replace a file`() {
        let pinned = Representation.pinned.with { $0.lastModified = nil }
        let head = ResponseHead(
            200,
            ["Content-Length": "9", "Content-Type": "application/json", "ETag": "W/\"b\""]
        )
        #expect(
            HeadJudge.judge(head, expecting: HeadExpectation(pinned: pinned))
                == .doubtful(.missing("Content-Type application/x-iso9660-image"))
        )
    }

    @Test(
        arguments: [
            ("bytes 500-999/1000", "500"), ("bytes 500-999/1000", nil), ("bytes 0-499/1000", "500"),
            ("bytes 500-999/*", "500"),
        ] as [(String, String?)]
    )
    func `a 200 whose Content-Range is that of a part is not the whole file`(
        field: String,
        length: String?
    ) {
        let head = Self.whole.with("Content-Range", field).with("Content-Length", length)
        for pinned in [Representation.pinned, Representation(total: 1000), nil] {
            let expected = HeadExpectation(asked: ByteRange(500, 1000), pinned: pinned)
            guard case .brokenRange = HeadJudge.judge(head, expecting: expected) else {
                Issue.record("accepted")
                continue
            }
        }
        guard case .malformed = HeadJudge.judge(head, expecting: HeadExpectation()) else {
            Issue.record("accepted as a first answer")
            return
        }
    }

    @Test(arguments: ["bytes 0-999/1000", "bytes 500-999/1000", "bytes */1000", "nonsense"])
    func `a 200 of the whole length is whole whatever its Content-Range is`(field: String) {
        let head = Self.whole.with("Content-Range", field)
        #expect(
            HeadJudge.judge(head, expecting: Self.onResume)
                == .whole(.pinned, acceptsRanges: true)
        )
    }

    @Test func `without validators another type and length mean an error page`() {
        var pinned = Representation(total: 1000)
        pinned.mediaType = "application/zip"
        let error = ResponseHead(200, ["Content-Length": "9", "Content-Type": "text/plain"])
        let expected = HeadExpectation(pinned: pinned)
        #expect(
            HeadJudge.judge(error, expecting: expected)
                == .doubtful(.missing("Content-Type application/zip"))
        )
        let zip = error.with("Content-Type", "application/zip")
        guard case .whole = HeadJudge.judge(zip, expecting: expected) else {
            Issue.record("another version was refused")
            return
        }
        pinned.mediaType = nil
        let page = error.with("Content-Type", "text/html")
        #expect(
            HeadJudge.judge(page, expecting: HeadExpectation(pinned: pinned))
                == .doubtful(.webPage)
        )
    }

    /// An interrupted error page must not block the file forever.
    @Test(arguments: ["text/html", "text/plain", "application/json"])
    func `a file is not treated as an error page if one was pinned`(type: String) {
        var page = Representation(total: 9)
        page.mediaType = type
        let file = ResponseHead(
            200,
            ["Content-Length": "1000", "Content-Type": "application/zip"]
        )
        for head in [file, file.with("ETag", "\"a\""), file.with("ETag", "W/\"a\"")] {
            let again = HeadJudge.judge(head, expecting: HeadExpectation(pinned: page))
            guard case .whole = again else {
                Issue.record("refused: \(again)")
                continue
            }
            for isOfSameSource in [true, false] {
                let former = FormerRepresentation(page, isOfSameSource: isOfSameSource)
                let fresh = HeadJudge.judge(head, expecting: HeadExpectation(former: former))
                guard case .pin = fresh else {
                    Issue.record("refused: \(fresh)")
                    continue
                }
            }
        }
    }

    @Test func `a 200 without validators is not proven to be the same file`() {
        let head = ResponseHead(200, ["Content-Length": "1000"])
        let expected = HeadExpectation(
            asked: ByteRange(500, 1000),
            pinned: Representation(total: 1000)
        )
        #expect(
            HeadJudge.judge(head, expecting: expected)
                == .whole(Representation(total: 1000), acceptsRanges: true)
        )
    }

    @Test(arguments: ["text/html", "TEXT/HTML; charset=utf-8", "application/xhtml+xml"])
    func `a page instead of the file is a portal`(type: String) {
        let page = ResponseHead(200, ["Content-Length": "1000", "Content-Type": type])
        #expect(HeadJudge.judge(page, expecting: Self.onResume) == .doubtful(.webPage))
        let whole = HeadExpectation(pinned: .pinned)
        #expect(HeadJudge.judge(page, expecting: whole) == .doubtful(.webPage))
    }

    @Test func `a page is not a portal if a page, the same file or nothing was pinned`() {
        let page = Self.whole.with("Content-Type", "text/html")
        guard case .whole = HeadJudge.judge(page, expecting: Self.onResume) else {
            Issue.record("the same file was judged as a portal")
            return
        }
        for type in [nil, "text/html"] as [String?] {
            let pinned = Representation.pinned.with { $0.mediaType = type }
            let other = page.with("ETag", "\"b\"")
            let verdict = HeadJudge.judge(other, expecting: HeadExpectation(pinned: pinned))
            guard case .whole = verdict else {
                Issue.record("\(verdict)")
                return
            }
        }
        guard case .pin = HeadJudge.judge(page, expecting: HeadExpectation()) else {
            Issue.record("a first page was refused")
            return
        }
    }

    @Test(
        arguments: [
            ("bytes */1000", 1000), ("bytes */0", 0), (nil, nil), ("garbage", nil),
            ("bytes 0-1/1000", nil),
        ] as [(String?, Int64?)]
    )
    func `a 416 may contain the total`(field: String?, total: Int64?) {
        let head = ResponseHead(416).with("Content-Range", field)
        #expect(
            HeadJudge.judge(head, expecting: Self.onResume) == .rangeNotSatisfiable(total: total)
        )
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func `a redirect needs one location`(status: Int) {
        let head = ResponseHead(status, ["location": " /mirror/disk.iso "], reason: "Moved")
        #expect(
            HeadJudge.judge(head, expecting: Self.onResume)
                == .redirect(head, location: "/mirror/disk.iso")
        )
        expectMalformed(head.with("location", nil), "\(status) Moved")
        expectMalformed(head.with("location", " "), "\(status) Moved")
        expectMalformed(head.with("Location", "/elsewhere"), "several")
    }

    @Test(arguments: [
        100, 101, 103, 199, 201, 202, 203, 204, 205, 226, 300, 304, 305, 306, 399, 600, 0, -1,
    ])
    func `an error about a status without a file names the status`(status: Int) {
        let head = ResponseHead(status, ["Content-Length": "5"], reason: "Not\u{1B}[31m This")
        expectMalformed(head, "\(status) Not\u{FFFD}[31m This")
        expectMalformed(ResponseHead(status), "answered \(status), which")
    }

    @Test(arguments: [
        400, 401, 403, 404, 407, 408, 410, 418, 425, 429, 451, 500, 502, 503, 504, 599,
    ])
    func `a failure keeps its status`(status: Int) {
        let head = ResponseHead(
            status,
            ["Retry-After": "7", "Content-Length": "x"],
            reason: "Go\u{7} away"
        )
        #expect(
            HeadJudge.judge(head, expecting: Self.onResume)
                == .status(status, reason: "Go\u{FFFD} away", retryAfter: .seconds(7))
        )
    }

    @Test func `contradictory framing is refused first`() {
        let page = ResponseHead(
            200,
            ["Content-Length": "5", "content-length": "6", "Content-Type": "text/html"]
        )
        expectMalformed(page, "two different lengths")
        let smuggled = Self.whole.with("Transfer-Encoding", "chunked")
        expectMalformed(smuggled, "both")
    }

    private func expectMalformed(_ head: ResponseHead, _ reason: String) {
        for expected in [HeadExpectation(), Self.onResume] {
            let verdict = HeadJudge.judge(head, expecting: expected)
            guard case .malformed(let said) = verdict else {
                Issue.record("\(verdict)")
                continue
            }
            #expect(said.contains(reason))
        }
    }
}
