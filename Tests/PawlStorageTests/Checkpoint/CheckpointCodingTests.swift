import PawlCore
import PawlStorage
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct CheckpointCodingTests {
    @Test func `thousands of random checkpoints are read as they were written`() async throws {
        var random = TestSeed.generator("checkpoint coding")
        var breath = Breath()
        for _ in 0..<2_000 {
            await breath.take()
            let checkpoint = Checkpoint.random(using: &random)
            let read = try Checkpoint(
                sequence: checkpoint.sequence,
                payload: checkpoint.encoded[...]
            )
            #expect(read == checkpoint)
        }
    }

    @Test func `a truncated payload is refused`() throws {
        var random = TestSeed.generator("cut payloads")
        for _ in 0..<5 {
            let payload = Checkpoint.random(using: &random).encoded
            for length in 0..<payload.count {
                #expect(throws: MalformedBytes.self) {
                    try Checkpoint(sequence: 1, payload: payload[..<length])
                }
            }
        }
    }

    @Test func `random bytes never crash`() {
        var random = TestSeed.generator("random payloads")
        for _ in 0..<5_000 {
            let count = Int.random(in: 0..<300, using: &random)
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            _ = try? Checkpoint(sequence: 1, payload: bytes[...])
            _ = try? CheckpointSlot.decode(bytes[...])
            _ = CheckpointImage(CheckpointHeader.magic + bytes)
        }
    }

    @Test func `a payload with a changed byte is read or refused, and never crashes`() async {
        var random = TestSeed.generator("changed payloads")
        var breath = Breath()
        for _ in 0..<10 {
            await breath.take()
            let payload = Checkpoint.random(using: &random).encoded
            for offset in payload.indices {
                var changed = payload
                changed[offset] ^= UInt8.random(in: 1...255, using: &random)
                _ = try? Checkpoint(sequence: 1, payload: changed[...])
            }
        }
    }

    @Test(arguments: [
        [ByteRange(10, 20), ByteRange(15, 30)],
        [ByteRange(10, 20), ByteRange(20, 30)],
        [ByteRange(20, 30), ByteRange(0, 10)],
        [ByteRange(5, 5)],
        [ByteRange(-5, 5)],
        [ByteRange(0, 101)],
        [ByteRange(0, .max), ByteRange(.max, .max)],
    ])
    func `contradictory ranges are refused`(ranges: [ByteRange]) {
        var checkpoint = Checkpoint()
        checkpoint.representation.total = 100
        checkpoint.writtenClaims = ranges.map { Claim(range: $0, tail: 0) }
        #expect(throws: MalformedBytes.self) {
            try Checkpoint(sequence: 1, payload: checkpoint.encoded[...])
        }
    }

    @Test func `too many ranges are refused before they are read`() throws {
        var checkpoint = Checkpoint()
        checkpoint.writtenClaims = (0..<70_000).map {
            Claim(range: ByteRange(Int64($0) * 10, Int64($0) * 10 + 5), tail: 0)
        }
        #expect(throws: MalformedBytes.self) {
            try Checkpoint(sequence: 1, payload: checkpoint.encoded[...])
        }
    }

    @Test func `a set of very many ranges keeps its largest`() {
        var set = RangeSet()
        for offset in 0..<Int64(20_000) {
            set.insert(ByteRange(offset * 100, offset * 100 + (offset.isMultiple(of: 2) ? 50 : 10)))
        }
        let kept = set.bounded
        #expect(kept.count == CheckpointLimits.rangesPerSet)
        #expect(kept.filter { $0.count == 50 }.count == 10_000)
        #expect(kept == kept.sorted { $0.start < $1.start })
        #expect(kept.allSatisfy(set.contains))
    }

    @Test func `very long texts are cut, very long validators omitted`() throws {
        var checkpoint = Checkpoint()
        checkpoint.source = String(repeating: "ü", count: 100_000)
        checkpoint.representation.entityTag = EntityTag(
            isWeak: false,
            opaque: String(repeating: "x", count: 100_000)
        )
        let read = try Checkpoint(sequence: 1, payload: checkpoint.encoded[...])
        #expect(read.source.utf8.count <= CheckpointLimits.textLength)
        #expect(read.source.hasPrefix("üüü"))
        #expect(read.representation.entityTag == nil)
    }
}

extension Checkpoint {
    static func random(using random: inout SplitMix64) -> Checkpoint {
        var checkpoint = Checkpoint()
        checkpoint.sequence = UInt64.random(in: 1..<(.max), using: &random)
        checkpoint.bootIdentity = random.text(upTo: 40)
        checkpoint.source = random.text(upTo: 60)
        checkpoint.targetName = Array(random.text(upTo: 20).utf8)
        checkpoint.createdAt = Int64.random(in: .min ... .max, using: &random)
        checkpoint.updatedAt = Int64.random(in: .min ... .max, using: &random)
        checkpoint.representation = .random(using: &random)
        checkpoint.writtenClaims = claims(using: &random)
        checkpoint.durableClaims = claims(using: &random)
        return checkpoint
    }

    private static func claims(using random: inout SplitMix64) -> [Claim] {
        var offset: Int64 = 0
        return (0..<Int.random(in: 0..<20, using: &random)).map { _ in
            let start = offset + Int64.random(in: 1..<1000, using: &random)
            offset = start + Int64.random(in: 1..<100_000, using: &random)
            return Claim(range: ByteRange(start, offset), tail: random.next())
        }
    }
}

extension Representation {
    static func random(using random: inout SplitMix64) -> Representation {
        var representation = Representation()
        if Bool.random(using: &random) {
            representation.total = Int64.random(in: 10_000_000...(.max), using: &random)
        }
        if Bool.random(using: &random) {
            representation.entityTag = EntityTag(
                isWeak: Bool.random(using: &random),
                opaque: random.text(upTo: 20)
            )
        }
        if Bool.random(using: &random) { representation.lastModified = random.text(upTo: 30) }
        representation.lastModifiedIsOld = Bool.random(using: &random)
        if Bool.random(using: &random) { representation.mediaType = random.text(upTo: 10) }
        if Bool.random(using: &random) { representation.contentEncoding = random.text(upTo: 5) }
        return representation
    }
}

extension SplitMix64 {
    fileprivate mutating func text(upTo length: Int) -> String {
        let alphabet: [Character] = ["a", "Z", "0", "/", "\"", "ä", "日", "\n", "\u{1F680}"]
        return String(
            (0..<Int.random(in: 0...length, using: &self)).map { _ in
                alphabet[Int.random(in: 0..<alphabet.count, using: &self)]
            }
        )
    }
}
