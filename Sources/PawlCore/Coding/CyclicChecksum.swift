/// CRC-64/XZ, which detects accidents, including every change of up to 64 consecutive bits.
package enum CyclicChecksum {
    /// The generator polynomial of ECMA-182, its bits reversed.
    private static let polynomial: UInt64 = 0xC96C_5795_D787_0F42

    @usableFromInline
    static let table: [UInt64] = (0..<256).map { byte in
        (0..<8).reduce(UInt64(byte)) { value, _ in
            value & 1 == 1 ? value >> 1 ^ polynomial : value >> 1
        }
    }

    // Other modules would use it unspecialized, which costs a call for each byte.
    @inlinable
    package static func of(_ bytes: some Sequence<UInt8>) -> UInt64 {
        let table = table
        return ~bytes.reduce(UInt64.max) { value, byte in
            table[Int(truncatingIfNeeded: value ^ UInt64(byte)) & 0xFF] ^ value >> 8
        }
    }
}
