internal import PawlCore

/// Converts between the ids of downloads and aria2's GIDs (pure).
///
/// A GID is 16 digits in base 16. It is the id, mixed reversibly with the identity of the queue, so
/// it is valid as long as the download exists, and no GID has to be stored. The mixing is that of
/// SplitMix64.
package struct Aria2GIDs: Sendable {
    private let key: UInt64

    private static let digits = 16
    private static let factors: (UInt64, UInt64) = (0xBF58_476D_1CE4_E5B9, 0x94D0_49BB_1331_11EB)
    /// The inverses of the factors modulo 2^64.
    private static let inverses: (UInt64, UInt64) = (
        0x96DE_1B17_3F11_9089, 0x3196_42B2_D24D_8EC3
    )

    package init(identity: String?) {
        key = identity.flatMap { UInt64($0.prefix(Self.digits), radix: 16) } ?? 0
    }

    package func gid(of id: Int64) -> String {
        var mixed = UInt64(bitPattern: id) ^ key
        mixed = (mixed ^ mixed >> 30) &* Self.factors.0
        mixed = (mixed ^ mixed >> 27) &* Self.factors.1
        return (mixed ^ mixed >> 31).hexadecimal
    }

    /// Returns the id of a GID, whether or not there is such a download; `nil` if the text is no
    /// GID.
    package func id(of gid: String) -> Int64? {
        guard gid.utf8.count == Self.digits, gid.allSatisfy(\.isHexDigit),
            var mixed = UInt64(gid, radix: 16)
        else { return nil }
        mixed = (mixed ^ mixed >> 31 ^ mixed >> 62) &* Self.inverses.1
        mixed = (mixed ^ mixed >> 27 ^ mixed >> 54) &* Self.inverses.0
        return Int64(bitPattern: (mixed ^ mixed >> 30 ^ mixed >> 60) ^ key)
    }
}
