import PawlCore
import PawlTesting
import Testing

/// The rows of "Judging a head" for 206.
@Suite(.timeLimit(.minutes(5)))
struct HeadJudgePartTests {
    private static let part = ResponseHead(
        206,
        [
            "Content-Length": "500", "Content-Range": "bytes 500-999/1000", "ETag": "\"a\"",
            "Last-Modified": tuesday, "Date": wednesday,
            "Content-Type": "application/x-iso9660-image",
        ]
    )
    private static let asked = ByteRange(500, 1000)

    private func judge(
        _ head: ResponseHead,
        asked: ByteRange? = asked,
        pinned: Representation? = .pinned
    ) -> HeadVerdict {
        HeadJudge.judge(head, expecting: HeadExpectation(asked: asked, pinned: pinned))
    }

    @Test func `a matching part is written`() {
        #expect(judge(Self.part) == .write(Self.asked, .pinned))
    }

    @Test func `fewer bytes than requested are written`() {
        let head = Self.part.with("Content-Range", "bytes 500-599/1000")
        #expect(judge(head) == .write(ByteRange(500, 600), .pinned))
    }

    @Test func `an open end accepts all bytes`() {
        #expect(judge(Self.part, asked: ByteRange(500, .max)) == .write(Self.asked, .pinned))
    }

    @Test func `an unrequested part is malformed`() {
        guard case .malformed = judge(Self.part, asked: nil) else {
            Issue.record("accepted")
            return
        }
    }

    @Test(
        arguments: [
            ("bytes 499-999/1000", "499-999 instead of 500-999"),
            ("bytes 501-999/1000", "501-999 instead of 500-999"),
            ("bytes 0-499/1000", "0-499 instead of 500-999"),
            ("bytes 500-1000/1001", "500-1000 instead of 500-999"),
            ("bytes 500-499/1000", "is not valid"),
            ("bytes 500-999/999", "is not valid"),
            ("bytes */1000", "is not valid"),
            ("lines 500-999/1000", "is not valid"),
            ("bytes 500-999/*", "without the length of the file"),
            (nil, "without Content-Range"),
        ] as [(String?, String)]
    )
    func `a range other than the requested one is refused`(field: String?, reason: String) {
        expectBroken(judge(Self.part.with("Content-Range", field)), reason)
    }

    @Test func `several ranges are refused`() {
        let head = Self.part.with("Content-Type", "multipart/byteranges; boundary=x")
        expectBroken(judge(head), "multipart")
        expectBroken(judge(head.with("Content-Range", nil)), "multipart")
    }

    @Test func `an encoded part is refused`() {
        expectBroken(judge(Self.part.with("Content-Encoding", "gzip")), "gzip")
        #expect(
            judge(Self.part.with("Content-Encoding", "identity")) == .write(Self.asked, .pinned)
        )
    }

    @Test(arguments: [
        (part.with("Content-Range", "bytes 500-999/1001"), false),
        (part.with("Content-Range", "bytes 500-998/999"), false),
        (part.with("Last-Modified", wednesday), false),
        (part.with("ETag", "\"b\"").with("Last-Modified", wednesday), false),
        (part.with("ETag", "\"b\"").with("Last-Modified", nil), false),
        (part.with("ETag", "\"b\"").with("Content-Range", "bytes 500-999/1001"), false),
        (part.with("ETag", nil).with("Last-Modified", wednesday), false),
        (part.with("ETag", "\"b\""), true),
        (part.with("ETag", "W/\"b\""), true),
        (part.with("ETag", "unquoted"), true),
    ])
    func `another total or validator means another file`(head: ResponseHead, onlyTag: Bool) {
        #expect(
            judge(head) == .changed(Representation(head: head), onlyEntityTag: onlyTag)
        )
    }

    @Test func `only the tag differs if no date was ever sent`() {
        let pinned = Representation.pinned.with { $0.lastModified = nil }
        let head = Self.part.with("ETag", "\"b\"").with("Last-Modified", nil)
        #expect(
            judge(head, pinned: pinned)
                == .changed(Representation(head: head), onlyEntityTag: true)
        )
    }

    @Test func `a matching strong tag suffices without a date`() {
        let head = Self.part.with("Last-Modified", nil)
        #expect(judge(head) == .write(Self.asked, Representation(head: head)))
    }

    @Test func `weak tags compare weakly`() {
        let pinned = Representation.pinned.with { $0.entityTag?.isWeak = true }
        for tag in ["W/\"a\"", "\"a\""] {
            let head = Self.part.with("ETag", tag)
            #expect(
                judge(head, pinned: pinned) == .write(Self.asked, Representation(head: head))
            )
        }
        let weakened = Self.part.with("ETag", "W/\"a\"")
        #expect(judge(weakened) == .write(Self.asked, Representation(head: weakened)))
        // Without a date that proves the version, a weak tag cannot replace a strong one.
        let dateless = weakened.with("Last-Modified", nil)
        #expect(
            judge(dateless, pinned: .pinned.with { $0.lastModified = nil })
                == .lostEntityTag(Representation(head: dateless), range: Self.asked)
        )
    }

    @Test func `a length below that of the range is refused`() {
        expectBroken(judge(Self.part.with("Content-Length", "499")), "499 bytes as bytes 500-999")
    }

    @Test func `the digest of a part in Digest proves nothing`() {
        let (known, other) = ([UInt8](repeating: 1, count: 16), [UInt8](repeating: 2, count: 16))
        let pinned = Representation.pinned.with { $0.digest = ContentDigest(.md5, bytes: known) }
        for pinned in [pinned, .pinned] {
            let head = Self.part.with("Digest", "md5=\(Base64.text(other))")
            #expect(judge(head, pinned: pinned) == .write(Self.asked, .pinned))
        }
        let same = Self.part.with("Digest", "md5=\(Base64.text(known))")
        #expect(judge(same, pinned: pinned) == .write(Self.asked, pinned))
        let changed = Self.part.with("Repr-Digest", "md5=:\(Base64.text(other)):")
        guard case .changed = judge(changed, pinned: pinned) else {
            Issue.record("a digest of the whole file was ignored")
            return
        }
    }

    @Test func `a missing pinned validator is refused`() {
        let bare = Self.part.with("ETag", nil)
        expectBroken(judge(bare.with("Last-Modified", nil)), "without the earlier ETag")
        #expect(
            judge(bare) == .lostEntityTag(Representation(head: bare), range: Self.asked),
            "the date is the same"
        )
        let dated = Representation.pinned.with { $0.entityTag = nil }
        expectBroken(
            judge(Self.part.with("Last-Modified", nil), pinned: dated),
            "without the earlier Last-Modified"
        )
        let weak = Representation.pinned.with { $0.entityTag?.isWeak = true }
        expectBroken(
            judge(Self.part.with("Last-Modified", nil), pinned: weak),
            "without the earlier Last-Modified"
        )
    }

    @Test func `without pinned validators the total decides`() {
        let bare = Representation(total: 1000)
        let seen = Representation(head: Self.part)
        #expect(judge(Self.part, pinned: bare) == .write(Self.asked, seen))
        let longer = Self.part.with("Content-Range", "bytes 500-999/1001")
        #expect(
            judge(longer, pinned: bare)
                == .changed(Representation(head: longer), onlyEntityTag: false)
        )
    }

    @Test func `an unknown total is adopted`() {
        let unknown = Representation.pinned.with { $0.total = nil }
        #expect(judge(Self.part, pinned: unknown) == .write(Self.asked, .pinned))
        #expect(judge(Self.part, pinned: nil) == .write(Self.asked, .pinned))
    }

    @Test func `contradictory framing of a part is refused first`() {
        for head in [
            Self.part.with("content-length", "400"), Self.part.with("Content-Length", "-1"),
            Self.part.with("Transfer-Encoding", "chunked"),
        ] {
            guard case .malformed = judge(head.with("Content-Range", nil)) else {
                Issue.record("accepted: \(head.fields)")
                continue
            }
        }
    }

    private func expectBroken(_ verdict: HeadVerdict, _ reason: String) {
        guard case .brokenRange(let said) = verdict else {
            Issue.record("\(verdict)")
            return
        }
        #expect(said.contains(reason))
    }
}
