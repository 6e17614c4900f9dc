internal import CCrypto

/// Checksums that find accidents: the first bytes of a SHA-256.
package enum ShortChecksum {
    static let fullLength = 32

    /// Looked up once, which costs more than the digest of a short text.
    private struct Implementation: @unchecked Sendable {
        // OpenSSL counts its users, and nobody changes it.
        let pointer: OpaquePointer?
    }
    private static let implementation = Implementation(pointer: EVP_MD_fetch(nil, "SHA256", nil))

    /// Eight bytes, for the ends of ranges.
    static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        withFull(bytes) { digest in
            var value: UInt64 = 0
            for (place, byte) in digest.prefix(8).enumerated() {
                value |= UInt64(byte) << UInt64(8 * place)
            }
            return value
        }
    }

    /// Eight bytes of a text's, in hexadecimal, where a short text is to stand for a longer one.
    package static func text(of text: String) -> String {
        let value = Array(text.utf8).withUnsafeBytes { of($0) }
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// All of it, for a checkpoint's slots.
    static func full(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        withFull(bytes) { Array($0) }
    }

    private static func withFull<T>(
        _ bytes: UnsafeRawBufferPointer,
        _ body: (UnsafeBufferPointer<UInt8>) -> T
    ) -> T {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: fullLength) { digest in
            digest.initialize(repeating: 0)
            // This cannot fail but for a library without SHA-256; zeroes then match nothing that a
            // working one wrote.
            _ = EVP_Digest(
                bytes.baseAddress,
                bytes.count,
                digest.baseAddress,
                nil,
                implementation.pointer,
                nil
            )
            return body(UnsafeBufferPointer(digest))
        }
    }
}
