internal import Synchronization

/// A body in memory, which is sent without a copy of all its bytes.
package final class MemoryBody: BodySource {
    package let bytes: [UInt8]
    /// The number of bytes that were read.
    private let position = Mutex(0)

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    package var length: Int64? { Int64(bytes.count) }

    package var isRepeatable: Bool { true }

    package func begin(_ wake: @escaping @Sendable () -> Void) -> Bool {
        position.withLock { $0 = 0 }
        return true
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer) -> BodyReading {
        position.withLock { position in
            let count = min(buffer.count, bytes.count - position)
            guard count > 0 else { return .end }
            bytes.withUnsafeBytes { bytes in
                buffer.copyMemory(
                    from: UnsafeRawBufferPointer(rebasing: bytes[position..<position + count])
                )
            }
            position += count
            return .bytes(count)
        }
    }
}
