/// Limits what an archive may contain, because a small one may stand for more than a disk has room
/// for.
package struct UnpackingLimits: Sendable, Hashable {
    /// The maximum number of files and folders.
    package var mostEntries = 1_000_000
    /// The maximum number of bytes that they occupy.
    package var mostBytes: Int64 = 1 << 40

    /// The space that stays free on the disk, if there is more than twice as much.
    private static let reserve: Int64 = 1 << 30

    /// Creates the limits for a disk.
    ///
    /// `freeBytes`: the free space of the disk; `nil` if it is not known.
    package init(freeBytes: Int64?) {
        guard let freeBytes else { return }
        mostBytes = min(mostBytes, max(freeBytes - Self.reserve, freeBytes / 2))
    }

    /// Returns why unpacking stops; `nil` if it may continue.
    package func problem(entryCount: Int, byteCount: Int64) -> String? {
        if entryCount > mostEntries {
            return "was stopped: the archive contains more than \(mostEntries) files"
        }
        guard byteCount > mostBytes else { return nil }
        return "was stopped: the archive contains more than \(mostBytes) bytes, and the disk needs "
            + "some free space"
    }
}
