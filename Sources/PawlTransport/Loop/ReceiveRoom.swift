/// How much the transfers of one loop may read at a time, together.
///
/// Each takes half of what the others have left, so that a few get much, and many need little memory.
package struct ReceiveRoom {
    /// What one transfer gets where nothing is left: libcurl hands over no more at once.
    package static let leastBytes = 16 << 10
    package static let allBytes = 1 << 20

    private var taken = 0

    package init() {}

    /// The size of a transfer's buffer, at most `wish`; to be given back when it has ended.
    package mutating func take(atMost wish: Int) -> Int {
        let half = max(0, Self.allBytes - taken) / 2
        let bytes = max(1_024, min(wish, max(Self.leastBytes, half)))
        taken += bytes
        return bytes
    }

    package mutating func giveBack(_ bytes: Int) { taken -= bytes }
}
