/// A cyclic redundancy check of 32 bits, with all of its bits reversed.
package struct CyclicCode: Sendable {
    private let table: [UInt32]

    /// CRC-32C (RFC 9260, appendix A).
    package static let castagnoli = CyclicCode(polynomial: 0x82F6_3B78)
    /// CRC-32, as in Ethernet, ZIP and gzip.
    package static let ethernet = CyclicCode(polynomial: 0xEDB8_8320)

    private init(polynomial: UInt32) {
        table = (0..<256).map { byte in
            (0..<8).reduce(UInt32(byte)) { value, _ in
                value & 1 == 1 ? value >> 1 ^ polynomial : value >> 1
            }
        }
    }

    /// Returns the checksum of bytes in network order.
    package func checksum(of bytes: [UInt8]) -> [UInt8] {
        let value = ~bytes.reduce(UInt32.max) { value, byte in
            table[Int((value ^ UInt32(byte)) & 0xFF)] ^ value >> 8
        }
        return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
}
