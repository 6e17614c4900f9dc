/// CRC-32C (RFC 9260, appendix A), eight bytes at a time.
package struct CRC32C: Sendable {
    /// The generator polynomial of Castagnoli, its bits reversed.
    private static let polynomial: UInt32 = 0x82F6_3B78

    /// For each of eight positions, the checksum of each byte followed by as many zeros.
    private static let tables: [UInt32] = {
        var tables = (0..<256).map { byte in
            (0..<8).reduce(UInt32(byte)) { value, _ in
                value & 1 == 1 ? value >> 1 ^ polynomial : value >> 1
            }
        }
        for index in 256..<8 * 256 {
            let before = tables[index - 256]
            tables.append(before >> 8 ^ tables[Int(before & 0xFF)])
        }
        return tables
    }()

    private var value = UInt32.max

    package init() {}

    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        var value = value
        Self.tables.withUnsafeBufferPointer { tables in
            var position = 0
            while position + 8 <= bytes.count {
                let word =
                    UInt64(
                        littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)
                    )
                    ^ UInt64(value)
                value = 0
                for byte in 0..<8 {
                    let index = Int(truncatingIfNeeded: word >> UInt64(8 * byte)) & 0xFF
                    value ^= tables[(7 - byte) * 256 + index]
                }
                position += 8
            }
            for byte in bytes[position...] {
                value = value >> 8 ^ tables[Int((value ^ UInt32(byte)) & 0xFF)]
            }
        }
        self.value = value
    }

    /// The checksum in network order.
    package var bytes: [UInt8] {
        let checksum = ~value
        return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: checksum >> $0) }
    }

    /// Returns the checksum of bytes in memory, in network order.
    package static func checksum(of bytes: [UInt8]) -> [UInt8] {
        var checksum = CRC32C()
        bytes.withUnsafeBytes { checksum.update($0) }
        return checksum.bytes
    }
}
