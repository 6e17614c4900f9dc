internal import Glibc

/// Room for bytes of one body, so that they are shown together: libcurl hands over 16 KiB at a time,
/// and the disk takes larger pieces for less.
final class BodyBuffer {
    /// A larger piece brings nothing more.
    static let mostBytes = 256 << 10
    /// libcurl's piece (`CURL_MAX_WRITE_SIZE`), which may come across the end of what is shown.
    static let pieceBytes = 16 << 10

    private let memory: UnsafeMutableRawBufferPointer
    private(set) var count = 0

    init() {
        memory = .allocate(byteCount: Self.mostBytes + Self.pieceBytes, alignment: 4096)
    }

    deinit { memory.deallocate() }

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<count]) }

    /// False where there is no room.
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
/// For one thread.
final class BodyBuffers {
    /// More transfers at a time are each too slow to gain from it.
    static let limit = 4

    private var free: [BodyBuffer] = []
    private(set) var borrowers: [TransferContext] = []
    /// Whether bytes were gathered since somebody last looked.
    private var hasGrown = false

    /// Nil where all are in use.
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
