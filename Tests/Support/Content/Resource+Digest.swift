import CCrypto
package import PawlCore

extension Resource {
    /// Returns the digest of all bytes, or `nil` if the library does not support the algorithm.
    package func digest(_ algorithm: DigestAlgorithm) -> ContentDigest? {
        guard algorithm != .crc32c else {
            return ContentDigest(.crc32c, bytes: CyclicCode.castagnoli.checksum(of: bytes()))
        }
        guard let context = EVP_MD_CTX_new() else { return nil }
        defer { EVP_MD_CTX_free(context) }
        guard EVP_DigestInit_ex(context, algorithm.function, nil) == 1 else { return nil }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
        defer { buffer.deallocate() }
        var position: Int64 = 0
        while position < size {
            let count = Int(min(Int64(buffer.count), size - position))
            content.fill(UnsafeMutableRawBufferPointer(rebasing: buffer[0..<count]), at: position)
            guard EVP_DigestUpdate(context, buffer.baseAddress, count) == 1 else { return nil }
            position += Int64(count)
        }
        var bytes = [UInt8](repeating: 0, count: algorithm.byteCount)
        guard EVP_DigestFinal_ex(context, &bytes, nil) == 1 else { return nil }
        return ContentDigest(algorithm, bytes: bytes)
    }
}

extension DigestAlgorithm {
    /// Returns the digest of bytes in memory; empty if the library does not support the algorithm.
    package func digest(of bytes: [UInt8]) -> [UInt8] {
        guard self != .crc32c else { return CyclicCode.castagnoli.checksum(of: bytes) }
        var digest = [UInt8](repeating: 0, count: byteCount)
        guard let function,
            EVP_Digest(bytes, bytes.count, &digest, nil, function, nil) == 1
        else { return [] }
        return digest
    }

    fileprivate var function: OpaquePointer? {
        switch self {
        case .crc32c: nil
        case .md5: EVP_md5()
        case .sha1: EVP_sha1()
        case .sha256: EVP_sha256()
        case .sha384: EVP_sha384()
        case .sha512: EVP_sha512()
        case .sha3_256: EVP_sha3_256()
        case .sha3_512: EVP_sha3_512()
        case .blake2b: EVP_blake2b512()
        }
    }
}

/// Base64 (RFC 4648 §4), for digests and credentials in header fields.
package enum Base64 {
    package static func text(_ bytes: [UInt8]) -> String {
        var encoded = [UInt8](repeating: 0, count: (bytes.count + 2) / 3 * 4 + 1)
        let count = EVP_EncodeBlock(&encoded, bytes, Int32(bytes.count))
        return String(decoding: encoded.prefix(Int(count)), as: UTF8.self)
    }

    /// Returns the bytes of an encoded text; `nil` if it is malformed.
    package static func bytes(_ text: String) -> [UInt8]? {
        let encoded = Array(text.utf8)
        let padding = encoded.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        guard encoded.count.isMultiple(of: 4), padding <= 2 else { return nil }
        var decoded = [UInt8](repeating: 0, count: encoded.count / 4 * 3)
        let count = EVP_DecodeBlock(&decoded, encoded, Int32(encoded.count))
        guard Int(count) == decoded.count else { return nil }
        return Array(decoded.dropLast(padding))
    }
}

extension Resource {
    /// The SHA-1 digests of pieces of this length.
    package func pieceDigests(length: Int64) -> PieceDigests? {
        let starts = stride(from: 0, to: size, by: Int(length))
        let digests = starts.compactMap { start in
            Resource(bytes: bytes(ByteRange(start, min(size, start + length)))).digest(.sha1)
        }
        return PieceDigests(.sha1, length: length, bytes: digests.flatMap(\.bytes))
    }
}
