internal import PawlCore
internal import PawlStorage
internal import Synchronization

/// A small file that is received in memory.
///
/// When it is complete, it is written together with others, so that the disk syncs many at once.
///
/// `@unchecked Sendable`: only the network's thread fills it, and then hands it over.
final class SmallBody: @unchecked Sendable {
    let head: ResponseHead
    let representation: Representation
    private let acceptsRanges: Bool
    private let total: Int64
    private let budget: SmallBodyBudget
    // Visible to the sink's owner.
    private(set) var bytes: [UInt8] = []

    /// Returns `nil` if the file is not small, or there is no memory for another one.
    init?(
        _ head: ResponseHead,
        _ representation: Representation,
        acceptsRanges: Bool,
        budget: SmallBodyBudget
    ) {
        guard let total = representation.total, representation.contentEncoding == nil,
            budget.take(total)
        else { return nil }
        self.head = head
        self.representation = representation
        self.acceptsRanges = acceptsRanges
        self.total = total
        self.budget = budget
        bytes.reserveCapacity(Int(total))
    }

    deinit { budget.release(total) }

    var verdict: HeadVerdict { .pin(representation, acceptsRanges: acceptsRanges) }

    var isWhole: Bool { bytes.count == total }

    func append(_ more: UnsafeRawBufferPointer) { bytes.append(contentsOf: more) }
}

/// The number of bytes of small files that may be in memory, for all downloads.
package final class SmallBodyBudget: Sendable {
    /// The maximum time that a file may stay in memory: a crash may cost at most one second of
    /// work.
    static let collectingTime = Duration.milliseconds(500)
    /// The maximum size of a file; larger ones are written as they arrive.
    static let mostBytesEach: Int64 = 64 << 10
    static let mostBytes: Int64 = 4 << 20

    private let taken = Atomic<Int64>(0)

    func take(_ count: Int64) -> Bool {
        guard (0...Self.mostBytesEach).contains(count) else { return false }
        let (_, sum) = taken.add(Self.cost(count), ordering: .relaxed)
        guard sum > Self.mostBytes else { return true }
        release(count)
        return false
    }

    /// Whether there is room for more files than those already being received.
    ///
    /// If the disk is slower than the network, the next file is fetched when the disk has finished
    /// another.
    var isRoomy: Bool { taken.load(ordering: .relaxed) <= Self.mostBytes / 2 }

    func release(_ count: Int64) { taken.subtract(Self.cost(count), ordering: .relaxed) }

    /// The memory that a waiting file uses, which is more than its bytes.
    private static func cost(_ count: Int64) -> Int64 { count + 8192 }
}
