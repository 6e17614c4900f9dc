internal import PawlCore

/// Takes a short range of a file into memory.
///
/// Only exactly that range of exactly that representation counts.
///
/// `@unchecked Sendable`: the bytes are touched by the network's thread alone, one call at a time.
final class SampleSink: TransferSink, @unchecked Sendable {
    /// How many bytes a sample has at most.
    static let length: Int64 = 64 << 10

    private let range: ByteRange
    private let representation: Representation
    private let answer: @Sendable ([UInt8]?) -> Void
    private var bytes: [UInt8] = []

    /// `answer` is called once, with nil where the range was not to be had.
    init(
        _ range: ByteRange,
        of representation: Representation,
        answer: @escaping @Sendable ([UInt8]?) -> Void
    ) {
        self.range = range
        self.representation = representation
        self.answer = answer
    }

    /// One from the middle, and the end, which is where files of one length differ most often.
    static func ranges(total: Int64) -> [ByteRange] {
        [total / 2, total - length].map { start in
            let start = max(0, min(start, total - length))
            return ByteRange(start, min(total, start + length))
        }
    }

    func transferReceived(_ head: ResponseHead) -> HeadAnswer {
        let expectation = HeadExpectation(asked: range, pinned: representation)
        guard case .write(range, _) = HeadJudge.judge(head, expecting: expectation) else {
            return .refuse
        }
        return .take
    }

    func transferReceived(_ bytes: UnsafeRawBufferPointer) -> BodyAnswer {
        self.bytes.append(contentsOf: bytes)
        return Int64(self.bytes.count) < range.count ? .more : .stop
    }

    func transferEnded(_ end: TransferEnd) {
        answer(Int64(bytes.count) == range.count ? bytes : nil)
    }
}
