#if canImport(Glibc)
internal import func Glibc.inet_pton
#else
internal import func Darwin.inet_pton
#endif

/// An address of the Internet Protocol.
package struct IPAddress: Hashable, Sendable {
    /// The four or sixteen bytes in network order.
    package let bytes: [UInt8]

    /// Returns `nil` unless there are four or sixteen bytes.
    ///
    /// An IPv4-mapped IPv6 address becomes the IPv4 address.
    package init?(bytes: some Collection<UInt8>) {
        let bytes = Array(bytes)
        switch bytes.count {
        case 4: self.bytes = bytes
        case 16: self.bytes = bytes.starts(with: Self.mappedPrefix) ? Array(bytes[12...]) : bytes
        default: return nil
        }
    }

    /// Parses an address as written in a URL, with or without brackets; `nil` for a name.
    package init?(_ text: String) {
        var text = text
        if text.hasPrefix("["), text.hasSuffix("]") { text = String(text.dropFirst().dropLast()) }
        // A zone names the interface and is not part of the address (RFC 6874).
        if let zone = text.firstIndex(of: "%") { text = String(text[..<zone]) }
        let isIPv6 = text.utf8.contains(UInt8(ascii: ":"))
        var bytes = [UInt8](repeating: 0, count: isIPv6 ? 16 : 4)
        guard inet_pton(isIPv6 ? Self.familyIPv6 : Self.familyIPv4, text, &bytes) == 1 else {
            return nil
        }
        self.init(bytes: bytes)
    }

    private init(known bytes: [UInt8]) { self.bytes = bytes }

    /// The address 127.0.0.1.
    package static let loopback4 = IPAddress(known: [127, 0, 0, 1])
    /// The address ::1.
    package static let loopback6 = IPAddress(known: [UInt8](repeating: 0, count: 15) + [1])

    package var isIPv6: Bool { bytes.count == 16 }

    /// The address as it is displayed (RFC 5952, without embedded IPv4 addresses).
    package var text: String {
        guard isIPv6 else { return bytes.map { "\($0)" }.joined(separator: ".") }
        let groups = stride(from: 0, to: 16, by: 2).map {
            UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
        }
        let words = groups.map { String($0, radix: 16) }
        guard let zeros = Self.longestZeros(groups) else { return words.joined(separator: ":") }
        return words[..<zeros.lowerBound].joined(separator: ":") + "::"
            + words[zeros.upperBound...].joined(separator: ":")
    }

    /// The first of the longest runs of at least two zeros.
    private static func longestZeros(_ groups: [UInt16]) -> Range<Int>? {
        var longest: Range<Int>?
        var start = 0
        for index in groups.indices {
            guard groups[index] == 0 else {
                start = index + 1
                continue
            }
            if index + 1 - start > max(1, longest?.count ?? 0) { longest = start..<index + 1 }
        }
        return longest
    }

    /// Whether the address is this machine's loopback address.
    package var isLoopback: Bool {
        if isIPv6 { return bytes.dropLast().allSatisfy { $0 == 0 } && bytes[15] <= 1 }
        return bytes[0] == 127 || bytes == [0, 0, 0, 0]
    }

    /// Whether the address is valid only on its link, without a router (RFC 3927, RFC 4291 §2.5.6).
    package var isLinkLocal: Bool {
        if isIPv6 { return bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80 }
        return bytes[0] == 169 && bytes[1] == 254
    }

    /// The first bytes, which the addresses of one local network usually have in common: 24 bits of
    /// IPv4, 64 bits of IPv6.
    package var networkPrefix: [UInt8] { Array(bytes.prefix(isIPv6 ? 8 : 3)) }

    package var isMulticast: Bool { isIPv6 ? bytes[0] == 0xFF : bytes[0] & 0xF0 == 0xE0 }

    /// Whether the address belongs to the public Internet.
    ///
    /// Addresses of this machine, a private network or a link, and unassigned ones, do not (RFC
    /// 6890), nor does an IPv6 address that contains such an IPv4 address.
    package var isPublic: Bool {
        guard isIPv6 else { return !Self.isReserved4(bytes) }
        if let hidden = hiddenIPv4 { return hidden.isPublic }
        // Only 2000::/3 is assigned. Of it, 2001:db8::/32 and 3fff::/20 are for documentation, and
        // 2001::/23 is for protocols.
        guard bytes[0] & 0xE0 == 0x20 else { return false }
        if bytes.starts(with: [0x20, 0x01]), bytes[2] < 2 { return false }
        return !bytes.starts(with: [0x20, 0x01, 0x0D, 0xB8])
            && !(bytes.starts(with: [0x3F, 0xFF]) && bytes[2] < 0x10)
    }

    private static func isReserved4(_ bytes: [UInt8]) -> Bool {
        switch (bytes[0], bytes[1]) {
        case (0, _), (10, _), (127, _), (169, 254), (192, 168): true
        case (100, 64...127), (172, 16...31), (198, 18...19): true
        case (192, 0): bytes[2] == 0 || bytes[2] == 2
        case (198, 51): bytes[2] == 100
        case (203, 0): bytes[2] == 113
        case (224..., _): true
        default: false
        }
    }

    /// The IPv4 address to which a translator or a tunnel leads (RFC 6052, RFC 3056).
    package var hiddenIPv4: IPAddress? {
        guard isIPv6 else { return nil }
        if bytes.starts(with: [0x00, 0x64, 0xFF, 0x9B] + [UInt8](repeating: 0, count: 8)) {
            return IPAddress(bytes: bytes[12...])
        }
        return bytes.starts(with: [0x20, 0x02]) ? IPAddress(bytes: bytes[2..<6]) : nil
    }

    private static let mappedPrefix = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
    private static let familyIPv4: Int32 = 2
    #if canImport(Glibc)
    private static let familyIPv6: Int32 = 10
    #else
    private static let familyIPv6: Int32 = 30
    #endif
}
