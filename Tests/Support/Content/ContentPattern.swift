internal import PawlCore
import Glibc

/// An endless sequence of bytes that a seed determines and that can be generated at any offset.
///
/// The bytes are copied from one table of noise, block by block, from an offset that depends on
/// seed and block. Copying is as fast as memory, even in a debug build. Every 4 KiB, eight bytes
/// depend on seed and offset, so that no two blocks are equal.
package struct ContentPattern: Hashable, Sendable {
    package var seed: UInt64

    package init(seed: UInt64) { self.seed = seed }

    package func bytes(at offset: Int64, count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: max(0, count))
        bytes.withUnsafeMutableBytes { fill($0, at: offset) }
        return bytes
    }

    /// Fills `buffer` with the bytes from `offset` on.
    ///
    /// The offset must not be negative.
    package func fill(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int64) {
        guard let base = buffer.baseAddress, !buffer.isEmpty, offset >= 0 else { return }
        Self.noise.withUnsafeBytes { noise in
            guard let source = noise.baseAddress else { return }
            copyBlocks(from: source, to: base, count: buffer.count, at: offset)
        }
        stamp(base, count: buffer.count, at: offset)
    }

    private static let blockBytes: Int64 = 64 * 1024
    private static let noiseOffsets = 512 * 1024
    private static let stampStride: Int64 = 4096

    private static let noise: [UInt64] = {
        var generator = SplitMix64(seed: 0x70_6177_6C00)
        return (0..<(noiseOffsets + Int(blockBytes)) / 8).map { _ in generator.next() }
    }()

    private func copyBlocks(
        from noise: UnsafeRawPointer,
        to base: UnsafeMutableRawPointer,
        count: Int,
        at offset: Int64
    ) {
        let key = SplitMix64.mix(seed &+ 1)
        var done = 0
        while done < count {
            let position = offset + Int64(done)
            let inBlock = Int(position % Self.blockBytes)
            let length = min(Int(Self.blockBytes) - inBlock, count - done)
            let choice = SplitMix64.mix(key ^ UInt64(position / Self.blockBytes))
            let noiseOffset = Int(choice % UInt64(Self.noiseOffsets))
            memcpy(base + done, noise + noiseOffset + inBlock, length)
            done += length
        }
    }

    private func stamp(_ base: UnsafeMutableRawPointer, count: Int, at offset: Int64) {
        let key = SplitMix64.mix(~seed)
        let end = offset + Int64(count)
        var start = offset - offset % Self.stampStride
        while start < end {
            var mark = SplitMix64.mix(key ^ UInt64(start)).littleEndian
            let low = max(start, offset)
            let high = min(start + 8, end)
            if low < high {
                withUnsafeBytes(of: &mark) { mark in
                    guard let source = mark.baseAddress else { return }
                    memcpy(base + Int(low - offset), source + Int(low - start), Int(high - low))
                }
            }
            start += Self.stampStride
        }
    }
}
