import PawlCore
import Synchronization

/// Records what it receives and answers as configured.
final class RecordingSink: TransferSink {
    struct Record: Sendable {
        var heads: [ResponseHead] = []
        var body: [UInt8] = []
        var bodyCalls = 0
        /// The reports of sent bytes.
        var sent: [Int64] = []
        var ends: [TransferEnd] = []
        /// The number of calls in a wrong order.
        var misplacedCalls = 0
    }

    let head = Completion<ResponseHead>()
    let end = Completion<TransferEnd>()
    private let state = Mutex(Record())
    private let judge: @Sendable (ResponseHead) -> HeadDecision
    private let take: @Sendable (Record) -> BodyDecision

    /// Creates a sink.
    ///
    /// `take` receives the record, which includes the new bytes.
    init(
        head judge: @escaping @Sendable (ResponseHead) -> HeadDecision = { _ in .take },
        body take: @escaping @Sendable (Record) -> BodyDecision = { _ in .more }
    ) {
        self.judge = judge
        self.take = take
    }

    var record: Record { state.withLock { $0 } }

    func transferReceived(_ head: ResponseHead) -> HeadDecision {
        state.withLock { state in
            if !state.heads.isEmpty || !state.ends.isEmpty { state.misplacedCalls += 1 }
            state.heads.append(head)
        }
        let answer = judge(head)
        self.head.complete(with: head)
        return answer
    }

    func transferSent(_ count: Int64) { state.withLock { $0.sent.append(count) } }

    func transferReceived(_ bytes: UnsafeRawBufferPointer) -> BodyDecision {
        let record = state.withLock { state in
            if state.heads.isEmpty || !state.ends.isEmpty { state.misplacedCalls += 1 }
            state.body += bytes
            state.bodyCalls += 1
            return state
        }
        return take(record)
    }

    func transferEnded(_ end: TransferEnd) {
        state.withLock { state in
            if !state.ends.isEmpty { state.misplacedCalls += 1 }
            state.ends.append(end)
        }
        self.end.complete(with: end)
    }
}

extension RecordingSink.Record {
    var text: String { String(decoding: body, as: UTF8.self) }
}

/// A body in which each stretch differs from its neighbours.
func patternedBytes(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    return (0..<count).map { _ in
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return UInt8(truncatingIfNeeded: state >> 24)
    }
}
