internal import CCrypto
internal import PawlCore

/// The computation of one digest: with libcrypto, or that of a CRC, which it does not have.
///
/// It must not be used by several threads.
final class DigestContext {
    private let algorithm: DigestAlgorithm
    private let context: OpaquePointer
    private var cyclic = CRC32C()

    init(_ algorithm: DigestAlgorithm) throws(DownloadError) {
        guard let context = EVP_MD_CTX_new() else { throw Self.refusal(algorithm) }
        self.algorithm = algorithm
        self.context = context
        guard algorithm != .crc32c else { return }
        guard EVP_DigestInit_ex(context, algorithm.implementation, nil) == 1 else {
            throw Self.refusal(algorithm)
        }
    }

    deinit { EVP_MD_CTX_free(context) }

    func update(_ bytes: UnsafeRawBufferPointer) throws(DownloadError) {
        guard algorithm != .crc32c else { return cyclic.update(bytes) }
        guard EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1 else {
            throw Self.refusal(algorithm)
        }
    }

    func finalize() throws(DownloadError) -> ContentDigest {
        if algorithm == .crc32c, let made = ContentDigest(algorithm, bytes: cyclic.bytes) {
            return made
        }
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var length: UInt32 = 0
        guard EVP_DigestFinal_ex(context, &digest, &length) == 1,
            let made = ContentDigest(algorithm, bytes: Array(digest.prefix(Int(length))))
        else { throw Self.refusal(algorithm) }
        return made
    }

    /// Returns the error for an algorithm that the system's policy has disabled.
    private static func refusal(_ algorithm: DigestAlgorithm) -> DownloadError {
        DownloadError(
            .unknown,
            "this system's OpenSSL does not support \(algorithm.rawValue)",
            advice: "use another algorithm, or \(set: .checksum, to: "none")",
            context: "computing the digest",
            retryClass: .never
        )
    }
}

extension DigestAlgorithm {
    fileprivate var implementation: OpaquePointer? {
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
