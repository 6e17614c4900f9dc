import PawlCore
import PawlStorage
import PawlTesting
import Testing

/// Damage to a whole checkpoint file: an older whole slot is used, or the file is refused.
@Suite(.timeLimit(.minutes(5)))
struct CheckpointImageTests {
    /// Checkpoints 1, 2 and 3 in the slots 0, 1 and 2.
    private static let image: [UInt8] = {
        var bytes = CheckpointHeader(slotSize: CheckpointLimits.smallestSlot).encoded
        for sequence in 1...UInt64(3) {
            bytes += CheckpointSlot.encode(
                .init(sequence: sequence, syncedSequence: 1),
                payload: content(sequence).encoded
            )
            while !bytes.count.isMultiple(of: CheckpointLimits.smallestSlot) { bytes.append(0) }
        }
        return bytes
    }()

    private static func content(_ sequence: UInt64) -> Checkpoint {
        var checkpoint = Checkpoint()
        checkpoint.sequence = sequence
        checkpoint.source = "https://example.com/\(sequence)"
        checkpoint.representation = .sample(1_000)
        checkpoint.writtenClaims = [
            Claim(range: ByteRange(0, Int64(sequence) * 100), tail: sequence)
        ]
        return checkpoint
    }

    private static func newest(_ bytes: [UInt8]) -> Checkpoint? {
        if case .sound(let checkpoint, _, _) = CheckpointImage(bytes) { checkpoint } else { nil }
    }

    private static func flaw(_ bytes: [UInt8]) -> CheckpointFlaw? {
        if case .unusable(let flaw) = CheckpointImage(bytes) { flaw } else { nil }
    }

    @Test func `the newest slot is used`() {
        #expect(Self.newest(Self.image) == Self.content(3))
    }

    @Test func `any flipped byte gives a correct checkpoint or none`() async {
        let true123 = Set((1...3).map(Self.content))
        var outcomes: [UInt64: Int] = [:]
        var breath = Breath()
        for offset in Self.image.indices {
            await breath.take()
            var bytes = Self.image
            bytes[offset] ^= 1 << UInt8(offset % 8)
            let found = Self.newest(bytes)
            outcomes[found?.sequence ?? 0, default: 0] += 1
            guard let found else { continue }
            #expect(true123.contains(found), "flipped at \(offset)")
        }
        // Flips in the header's 24 bytes refuse the file, flips in slot 2 give the second
        // checkpoint, and all others the third.
        #expect(outcomes[0] == 24)
        #expect(outcomes[1] == nil)
        let third = CheckpointSlot.headLength + Self.content(3).encoded.count
        #expect(outcomes[2] == third)
    }

    @Test func `truncation gives a correct checkpoint or none`() async {
        var last: UInt64 = 0
        var breath = Breath()
        for length in 0...Self.image.count {
            await breath.take()
            let sequence = Self.newest(Array(Self.image[..<length]))?.sequence ?? 0
            #expect(sequence >= last, "more bytes reveal less, at \(length)")
            last = max(last, sequence)
        }
        #expect(last == 3)
    }

    @Test func `another magic number is foreign, and another version is reported`() {
        var foreign = Self.image
        foreign[0] = 0x51
        #expect(Self.flaw(foreign) == .foreign)
        #expect(Self.flaw(Array("#!/bin/sh\nexit 0\n".utf8)) == .foreign)

        var newer = Self.image
        newer[8] = 2
        #expect(Self.flaw(newer) == .newer(2))
        newer[8] = 0
        #expect(Self.flaw(newer) == .torn("its version is 0"))
    }

    @Test func `an empty file and one of zeros are torn`() {
        #expect(Self.flaw([]) == .torn("it is empty"))
        #expect(Self.flaw([UInt8](repeating: 0, count: 70_000)) == .torn("it is empty"))
    }

    @Test func `the last sequence is refused, because none could follow`() throws {
        let slot = CheckpointSlot.encode(
            .init(sequence: .max, syncedSequence: 0),
            payload: Self.content(1).encoded
        )
        #expect(throws: MalformedBytes.self) { try CheckpointSlot.decode(slot[...]) }
    }

    @Test func `impossible slot sizes are refused`() {
        for size in [0, 1, 4095, 4097, 2 * 1024 * 1024, Int(UInt32.max)] {
            let bytes = CheckpointHeader(slotSize: size).encoded
            #expect(Self.flaw(bytes) == .torn("its slots have an impossible size"), "\(size)")
        }
    }
}
