internal import PawlCore
internal import PawlStorage
internal import Synchronization

/// A small file on its way, in memory: it becomes a file when all of it is there, together with
/// others, so that the disk syncs many at once.
///
/// `@unchecked Sendable`: the network's thread alone fills it, and then hands it over to the driver.
final class SmallBody: @unchecked Sendable {
    let head: ResponseHead
    let representation: Representation
    private let acceptsRanges: Bool
    private let total: Int64
    private let budget: SmallBodyBudget
    private(set) var bytes: [UInt8] = []

    /// Nil where the file is not small, or there is no memory for another one.
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

    deinit { budget.giveBack(total) }

    var verdict: HeadVerdict { .pin(representation, acceptsRanges: acceptsRanges) }

    var isWhole: Bool { bytes.count == total }

    func append(_ more: UnsafeRawBufferPointer) { bytes.append(contentsOf: more) }
}

/// How many bytes of small files may be in memory, over all downloads.
package final class SmallBodyBudget: Sendable {
    /// How long one may stay in memory: a crash may cost a second of work at most.
    static let patience = Duration.milliseconds(500)
    /// What is larger goes to its file as it comes.
    static let mostBytesEach: Int64 = 64 << 10
    static let mostBytes: Int64 = 4 << 20

    private let taken = Atomic<Int64>(0)

    func take(_ count: Int64) -> Bool {
        guard (0...Self.mostBytesEach).contains(count) else { return false }
        let (_, sum) = taken.add(Self.cost(count), ordering: .relaxed)
        guard sum > Self.mostBytes else { return true }
        giveBack(count)
        return false
    }

    /// Whether there is room for more than those that are on their way already.
    ///
    /// Where the disk is slower than the network, the next is fetched when the disk is through with
    /// another.
    var isRoomy: Bool { taken.load(ordering: .relaxed) <= Self.mostBytes / 2 }

    func giveBack(_ count: Int64) { taken.subtract(Self.cost(count), ordering: .relaxed) }

    /// What waits costs more than its bytes.
    private static func cost(_ count: Int64) -> Int64 { count + 8192 }
}
