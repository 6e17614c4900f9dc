internal import CCrypto
internal import PawlCore

/// Computes the SHA-256 of bytes in memory.
///
/// If the system's library has no SHA-256, all digests are zeros, which match nothing that a
/// working library wrote. Where that would be unsafe, use `digest(of:)` of a text.
package enum SHA256 {
    static let length = 32

    private struct Implementation: @unchecked Sendable {
        // OpenSSL counts the references, and nobody changes the object.
        let pointer: OpaquePointer?
    }

    /// The implementation, fetched once, because that costs more than the digest of a short text.
    private static let implementation = Implementation(pointer: EVP_MD_fetch(nil, "SHA256", nil))

    static func digest(of bytes: UnsafeRawBufferPointer) -> [UInt8] {
        compute(bytes) { digest, _ in Array(digest) }
    }

    /// Returns the first eight bytes, the lowest first, as a checksum that detects accidents.
    static func prefix(of bytes: UnsafeRawBufferPointer) -> UInt64 {
        compute(bytes) { digest, _ in
            digest.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
    }

    /// Returns `prefix(of:)` of a text in hexadecimal, as a short identifier of a longer text.
    package static func shortText(of text: String) -> String { shortText(of: Array(text.utf8)) }

    /// Returns `prefix(of:)` of bytes in hexadecimal, as a short identifier.
    package static func shortText(of bytes: [UInt8]) -> String {
        bytes.withUnsafeBytes { prefix(of: $0) }.hexadecimal
    }

    /// Returns the digest of a text; `nil` if the system's library has no SHA-256.
    package static func digest(of text: String) -> [UInt8]? {
        digest(of: Array(text.utf8))
    }

    /// Returns the digest of bytes; `nil` if the system's library has no SHA-256.
    package static func digest(of bytes: [UInt8]) -> [UInt8]? {
        bytes.withUnsafeBytes { bytes in
            compute(bytes) { digest, isComputed in isComputed ? Array(digest) : nil }
        }
    }

    /// Returns the authentication code of bytes (HMAC, RFC 2104); `nil` if the system's library has
    /// no SHA-256.
    package static func authenticationCode(of bytes: [UInt8], key: [UInt8]) -> [UInt8]? {
        var code = [UInt8](repeating: 0, count: length)
        let algorithm = EVP_sha256()
        let end = HMAC(algorithm, key, Int32(clamping: key.count), bytes, bytes.count, &code, nil)
        return end == nil ? nil : code
    }

    private static func compute<T>(
        _ bytes: UnsafeRawBufferPointer,
        _ body: (_ digest: UnsafeBufferPointer<UInt8>, _ isComputed: Bool) -> T
    ) -> T {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: length) { digest in
            digest.initialize(repeating: 0)
            let status = EVP_Digest(
                bytes.baseAddress,
                bytes.count,
                digest.baseAddress,
                nil,
                implementation.pointer,
                nil
            )
            return body(UnsafeBufferPointer(digest), status == 1)
        }
    }
}
