internal import PawlCore
internal import Synchronization

/// The bytes of a part that are uploaded while they arrive, because the part is too large to be kept
/// as a whole.
///
/// It holds few bytes at a time, so they cannot be sent again.
final class PartPipe: BodySource {
    private struct State {
        /// The pieces that are still needed, in order.
        var pieces: [[UInt8]] = []
        /// The position of the first of them.
        var base: Int64 = 0
        /// The end of the bytes that were put.
        var end: Int64 = 0
        /// The end of the bytes that were sent.
        var sent: Int64 = 0
        /// The end of the bytes that were read for a digest; `nil` if there is none.
        var read: Int64?
        var wasFull = false
        var failure: String?
        var wake: @Sendable () -> Void = {}

        /// The end of the bytes that are not needed any more.
        private var done: Int64 { min(sent, read ?? sent) }

        mutating func dropPieces() {
            while let first = pieces.first, base + Int64(first.count) <= done {
                base += Int64(first.count)
                pieces.removeFirst()
            }
        }

        /// Copies bytes from a position on; returns their number.
        func copy(from position: Int64, to buffer: UnsafeMutableRawBufferPointer) -> Int {
            var (start, copied) = (base, 0)
            for piece in pieces where copied < buffer.count {
                defer { start += Int64(piece.count) }
                let skipped = Int(clamping: max(0, position - start))
                guard skipped < piece.count else { continue }
                let count = min(piece.count - skipped, buffer.count - copied)
                let target = UnsafeMutableRawBufferPointer(
                    rebasing: buffer[copied..<copied + count]
                )
                target.copyBytes(from: piece[skipped..<skipped + count])
                copied += count
            }
            return copied
        }
    }

    /// The number of bytes from which on it is full.
    static let capacity: Int64 = 8 << 20

    let length: Int64?
    let isRepeatable = false
    private let whenRoom: @Sendable () -> Void
    private let state: Mutex<State>

    /// - Parameters:
    ///   - isRead: Whether each byte is read for a digest, too.
    ///   - whenRoom: Called when it is not full any more.
    init(length: Int64, isRead: Bool, whenRoom: @escaping @Sendable () -> Void) {
        (self.length, self.whenRoom) = (length, whenRoom)
        state = Mutex(State(read: isRead ? 0 : nil))
    }

    /// Whether it takes further bytes now.
    var hasRoom: Bool {
        state.withLock { state in
            state.wasFull = state.end - state.base >= Self.capacity
            return !state.wasFull
        }
    }

    /// Takes bytes.
    func put(_ bytes: UnsafeRawBufferPointer) {
        let piece = [UInt8](bytes)
        let wake = state.withLock { state in
            state.pieces.append(piece)
            state.end += Int64(piece.count)
            return state.wake
        }
        wake()
    }

    /// Ends an exchange that reads it: the bytes are not wanted any more.
    func fail(_ reason: String) {
        let wake = state.withLock { state in
            (state.failure, state.pieces) = (reason, [])
            return state.wake
        }
        wake()
    }

    /// Reads bytes for a digest; returns their number, and whether there is room again, which the
    /// caller reports.
    func readOnce(
        into buffer: UnsafeMutableRawBufferPointer,
        at position: Int64
    ) -> (count: Int, hasRoom: Bool) {
        state.withLock { state in
            let count = state.copy(from: position, to: buffer)
            if let read = state.read { state.read = max(read, position + Int64(count)) }
            return (count, Self.drop(&state))
        }
    }

    /// Drops the bytes that are not needed; returns whether there is room again.
    private static func drop(_ state: inout State) -> Bool {
        state.dropPieces()
        guard state.wasFull, state.end - state.base <= capacity / 2 else { return false }
        state.wasFull = false
        return true
    }

    // MARK: - BodySource

    func begin(_ wake: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            state.wake = wake
            return state.sent == 0
        }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> BodyReading {
        let (reading, hasRoom) = state.withLock { state -> (BodyReading, Bool) in
            if let failure = state.failure { return (.failed(failure), false) }
            let count = state.copy(from: state.sent, to: buffer)
            guard count > 0 else { return (state.sent == length ? .end : .later, false) }
            state.sent += Int64(count)
            return (.bytes(count), Self.drop(&state))
        }
        if hasRoom { whenRoom() }
        return reading
    }
}
