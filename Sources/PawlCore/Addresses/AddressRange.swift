/// The addresses that have their first bits in common, such as `192.0.2.0/24` (RFC 4632), or a
/// single one.
package struct AddressRange: Hashable, Sendable {
    private let first: IPAddress
    /// The number of bits that the addresses have in common.
    private let bits: Int

    /// Parses an address with or without the number of bits; `nil` for anything else.
    package init?(_ text: String) {
        let parts = text.pieces(at: "/")
        guard parts.count <= 2, let first = IPAddress(String(parts[0])) else { return nil }
        self.first = first
        let most = first.bytes.count * 8
        guard parts.count == 2 else {
            bits = most
            return
        }
        guard let bits = UInt8(parts[1]), Int(bits) <= most, parts[1].allSatisfy(\.isNumber) else {
            return nil
        }
        self.bits = Int(bits)
    }

    package func contains(_ address: IPAddress) -> Bool {
        guard address.isIPv6 == first.isIPv6 else { return false }
        return zip(address.bytes, first.bytes).enumerated().allSatisfy { index, pair in
            // The bits of this byte that count.
            let count = min(max(bits - index * 8, 0), 8)
            return (pair.0 ^ pair.1) >> (8 - count) == 0
        }
    }
}
