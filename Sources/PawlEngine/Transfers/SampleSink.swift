internal import PawlCore

/// Receives a short range of a file into memory.
///
/// Only exactly that range of exactly that representation counts.
///
/// `@unchecked Sendable`: the bytes are touched only by the network's thread, one call at a time.
final class SampleSink: TransferSink, @unchecked Sendable {
    /// The maximum length of a sample, in bytes.
    static let length: Int64 = 64 << 10

    private let range: ByteRange
    private let representation: Representation
    private let answer: @Sendable ([UInt8]?) -> Void
    private var bytes: [UInt8] = []

    /// Creates a sink.
    ///
    /// `answer` is called once, with `nil` if the range was not available.
    init(
        _ range: ByteRange,
        of representation: Representation,
        answer: @escaping @Sendable ([UInt8]?) -> Void
    ) {
        self.range = range
        self.representation = representation
        self.answer = answer
    }

    /// The ranges of the samples: one in the middle, and the end, where files of the same length
    /// differ most often.
    static func ranges(total: Int64) -> [ByteRange] {
        [total / 2, total - length].map { start in
            let start = max(0, min(start, total - length))
            return ByteRange(start, min(total, start + length))
        }
    }

    func transferReceived(_ head: ResponseHead) -> HeadDecision {
        let expectation = HeadExpectation(asked: range, pinned: representation)
        guard case .write(range, _) = HeadJudge.judge(head, expecting: expectation) else {
            return .refuse
        }
        return .take
    }

    func transferReceived(_ bytes: UnsafeRawBufferPointer) -> BodyDecision {
        self.bytes.append(contentsOf: bytes)
        return Int64(self.bytes.count) < range.count ? .more : .stop
    }

    func transferEnded(_ end: TransferEnd) {
        answer(Int64(bytes.count) == range.count ? bytes : nil)
    }
}
