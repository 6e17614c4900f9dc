import PawlCore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct RepresentationTests {
    @Test func `a 200 describes the whole file`() {
        let seen = Representation(
            head: ResponseHead(
                200,
                [
                    "content-length": "1000", "ETag": "\"a\"", "Last-Modified": tuesday,
                    "Date": wednesday, "Content-Type": "Application/X-ISO9660-Image; charset=x",
                ]
            )
        )
        #expect(seen == .pinned)
    }

    @Test func `a 206 takes its total from its range`() {
        let head = ResponseHead(206, ["Content-Length": "10", "Content-Range": "bytes 0-9/1000"])
        #expect(Representation(head: head).total == 1000)
        #expect(Representation(head: head.with("Content-Range", "bytes 0-9/*")).total == nil)
        #expect(Representation(head: head.with("Content-Range", nil)).total == nil)
    }

    @Test func `an empty head describes nothing`() {
        #expect(Representation(head: ResponseHead(200)) == Representation())
        let empty = ResponseHead(200, ["ETag": "", "Last-Modified": " ", "Content-Type": ";x"])
        #expect(Representation(head: empty) == Representation())
    }

    @Test(
        arguments: [
            (nil, nil), ("", nil), ("identity", nil), ("Identity, identity", nil), ("gzip", "gzip"),
            ("GZip", "gzip"), ("identity, br", "br"), ("gzip, br", "gzip, br"),
        ] as [(String?, String?)]
    )
    func `identity is not an encoding`(field: String?, expected: String?) {
        let head = ResponseHead(200).with("Content-Encoding", field)
        #expect(Representation(head: head).contentEncoding == expected)
    }

    @Test(
        arguments: [
            ("Tue, 04 Nov 2025 10:00:01 GMT", true),
            (wednesday, true),
            (tuesday, false),
            ("Mon, 03 Nov 2025 10:00:00 GMT", false),
            ("garbage", false),
            (nil, false),
        ] as [(String?, Bool)]
    )
    func `a date is old one second after it`(date: String?, isOld: Bool) {
        let head = ResponseHead(200, ["Last-Modified": tuesday]).with("Date", date)
        let seen = Representation(head: head)
        #expect(seen.lastModifiedIsOld == isOld)
        #expect(seen.validatorStrength == (isOld ? .strong : .weak))
    }

    @Test func `an empty entity tag proves nothing`() {
        let seen = Representation(head: ResponseHead(200, ["ETag": "\"\""]))
        #expect(seen.validatorStrength == .weak)
    }

    @Test func `another digest of the same algorithm means another version`() {
        var pinned = Representation.pinned
        pinned.digest = ContentDigest(.md5, bytes: [UInt8](repeating: 1, count: 16))
        var seen = pinned
        #expect(pinned.compare(seen) == .same)
        seen.digest = ContentDigest(.md5, bytes: [UInt8](repeating: 2, count: 16))
        #expect(pinned.compare(seen) == .changed(onlyEntityTag: false))
        #expect(!pinned.isProvenSame(seen))
        #expect(pinned.doubt(about: seen) == nil)
        seen.digest = ContentDigest(.sha1, bytes: [UInt8](repeating: 2, count: 20))
        #expect(pinned.compare(seen) == .same)
        seen.digest = nil
        #expect(pinned.compare(seen) == .same)
    }

    @Test func `an empty entity tag does not prove that files are the same`() {
        let empty = Representation(total: 1000).with {
            $0.entityTag = EntityTag(isWeak: false, opaque: "\"\"")
        }
        #expect(!empty.isProvenSame(empty))
    }

    @Test func `a date at the epoch does not identify a version`() {
        let epoch = Representation.pinned.with {
            ($0.entityTag, $0.lastModified) = (nil, "Thu, 01 Jan 1970 00:00:01 GMT")
        }
        #expect(epoch.validatorStrength == .weak)
        #expect(!epoch.isProvenSame(epoch))
    }

    @Test(
        arguments: [
            (Representation.pinned, nil),
            (.pinned.with { $0.entityTag = otherTag }, nil),
            (.pinned.with { ($0.lastModified, $0.total) = (wednesday, 999) }, nil),
            (.pinned.with { $0.total = 999 }, .otherLength(999)),
            (.pinned.with { ($0.entityTag, $0.lastModified) = (otherWeakTag, nil) }, .otherWeakTag),
            (
                .pinned.with { ($0.entityTag, $0.contentEncoding) = (otherTag, "br") },
                .encoded("br")
            ),
            (
                .pinned.with { ($0.entityTag, $0.mediaType) = (otherTag, nil) },
                .missing("Content-Type application/x-iso9660-image")
            ),
        ] as [(Representation, Doubt?)]
    )
    func `only strong validators prove a change`(seen: Representation, doubt: Doubt?) {
        #expect(Representation.pinned.unprovenChange(in: seen) == doubt)
    }

    @Test(arguments: [
        (Representation.pinned, false),
        (.pinned.with { $0.total = 999 }, true),
        (.pinned.with { ($0.total, $0.lastModified) = (999, nil) }, true),
        (.pinned.with { ($0.total, $0.entityTag) = (999, nil) }, true),
        (.pinned.with { ($0.total, $0.entityTag) = (999, otherTag) }, false),
        (.pinned.with { ($0.total, $0.entityTag) = (999, otherWeakTag) }, false),
        (.pinned.with { ($0.total, $0.lastModified) = (999, wednesday) }, false),
        (.pinned.with { $0.total = nil }, false),
    ])
    func `the same strong validator with another length is a contradiction`(
        seen: Representation,
        isContradiction: Bool
    ) {
        #expect(Representation.pinned.isContradicted(by: seen) == isContradiction)
    }

    private static let otherWeakTag = EntityTag(isWeak: true, opaque: "\"b\"")
    private static let weakTag = EntityTag(isWeak: true, opaque: "\"a\"")
    private static let otherTag = EntityTag(isWeak: false, opaque: "\"b\"")

    @Test(arguments: [
        (Representation.pinned, true),
        (.pinned.with { $0.lastModified = nil }, true),
        (.pinned.with { $0.entityTag = weakTag }, true),
        (.pinned.with { $0.entityTag = nil }, false),
        (.pinned.with { $0.entityTag = otherTag }, false),
        (.pinned.with { $0.lastModified = wednesday }, false),
        (.pinned.with { $0.total = 999 }, false),
        (.pinned.with { $0.total = nil }, true),
        (.pinned.with { $0.contentEncoding = "gzip" }, false),
        (.pinned.with { ($0.entityTag, $0.lastModified) = (weakTag, nil) }, false),
    ])
    func `only strong validators prove that files are the same`(seen: Representation, isSame: Bool)
    {
        #expect(Representation.pinned.isProvenSame(seen) == isSame)
    }

    @Test func `a strong tag that returns as weak proves nothing`() {
        let tagged = Representation.pinned.with {
            ($0.lastModified, $0.lastModifiedIsOld) = (nil, false)
        }
        #expect(tagged.isProvenSame(tagged))
        #expect(!tagged.isProvenSame(tagged.with { $0.entityTag = Self.weakTag }))
    }

    @Test func `an old date alone proves that files are the same, a fresh one does not`() {
        let dated = Representation.pinned.with { $0.entityTag = nil }
        #expect(dated.isProvenSame(dated))
        let fresh = dated.with { $0.lastModifiedIsOld = false }
        #expect(!fresh.isProvenSame(fresh))
        let bare = dated.with { $0.lastModified = nil }
        #expect(!bare.isProvenSame(bare))
        let weak = bare.with { $0.entityTag = Self.weakTag }
        #expect(!weak.isProvenSame(weak))
    }
}
