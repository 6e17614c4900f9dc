internal import Glibc

/// A buffer that gathers bytes of one body so that they are passed on together: libcurl hands over
/// 16 KiB at a time, and larger pieces are cheaper to write to disk.
final class BodyBuffer {
    /// The maximum size.
    ///
    /// Larger pieces gain nothing.
    static let mostBytes = 256 << 10
    /// The size of libcurl's pieces (`CURL_MAX_WRITE_SIZE`).
    ///
    /// The buffer has room for one piece beyond `mostBytes`.
    static let pieceBytes = 16 << 10

    private let memory: UnsafeMutableRawBufferPointer
    // Visible to the readers of the buffer.
    private(set) var count = 0

    init() {
        memory = .allocate(byteCount: Self.mostBytes + Self.pieceBytes, alignment: 4096)
    }

    deinit { memory.deallocate() }

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<count]) }

    /// Adds bytes.
    ///
    /// Returns `false` if there is no room for them.
    func append(_ more: UnsafeRawBufferPointer) -> Bool {
        guard more.count <= memory.count - count else { return false }
        UnsafeMutableRawBufferPointer(rebasing: memory[count...]).copyMemory(from: more)
        count += more.count
        return true
    }

    func removeFirst(_ shown: Int) {
        count -= shown
        guard count > 0, let base = memory.baseAddress else { return }
        memmove(base, base + shown, count)
    }
}

/// The buffers of one loop, lent to transfers that have bytes to gather.
///
/// Used by one thread only.
final class BodyBuffers {
    /// The number of buffers.
    ///
    /// With more transfers at once, each is too slow to profit from one.
    static let limit = 4

    private var free: [BodyBuffer] = []
    // Visible to the loop.
    private(set) var borrowers: [TransferContext] = []
    /// Whether bytes were gathered since the last check.
    private var hasGrown = false

    /// Lends a buffer; `nil` if all are in use.
    func lend(to context: TransferContext) -> BodyBuffer? {
        guard borrowers.count < Self.limit else { return nil }
        borrowers.append(context)
        return free.popLast() ?? BodyBuffer()
    }

    func takeBack(_ buffer: BodyBuffer, from context: TransferContext) {
        buffer.removeFirst(buffer.count)
        borrowers.removeAll { $0 === context }
        free.append(buffer)
    }

    func noteGrowth() { hasGrown = true }

    func takeGrowth() -> Bool {
        defer { hasGrown = false }
        return hasGrown
    }
}
