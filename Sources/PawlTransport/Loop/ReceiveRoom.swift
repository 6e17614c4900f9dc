/// The total number of bytes that the transfers of one loop may read at once.
///
/// Each transfer takes half of what the others have left. So a few transfers get large buffers, and
/// many need little memory.
package struct ReceiveRoom {
    /// What a transfer gets if nothing is left.
    ///
    /// libcurl hands over no more than this at once.
    package static let leastBytes = 16 << 10
    package static let allBytes = 1 << 20

    private var taken = 0

    package init() {}

    /// Reserves at most `most` bytes for a buffer, and returns its size.
    ///
    /// Give the bytes back when the transfer has ended.
    package mutating func take(atMost most: Int) -> Int {
        let half = max(0, Self.allBytes - taken) / 2
        let bytes = max(1_024, min(most, max(Self.leastBytes, half)))
        taken += bytes
        return bytes
    }

    package mutating func release(_ bytes: Int) { taken -= bytes }
}
