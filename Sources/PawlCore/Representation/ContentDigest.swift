/// An algorithm for the digest of a whole file.
public enum DigestAlgorithm: String, Sendable, CaseIterable, Codable {
    /// CRC-32C (RFC 9260, appendix A), which detects accidents but not attacks.
    ///
    /// Its four bytes are in network order, as object stores write them.
    case crc32c
    /// MD5 (RFC 1321), which detects accidents but not attacks.
    case md5
    /// SHA-1 (FIPS 180-4), which detects accidents but not attacks.
    case sha1
    /// SHA-256 (FIPS 180-4).
    case sha256
    /// SHA-384 (FIPS 180-4).
    case sha384
    /// SHA-512 (FIPS 180-4).
    case sha512
    /// SHA3-256 (FIPS 202).
    case sha3_256 = "sha3-256"
    /// SHA3-512 (FIPS 202).
    case sha3_512 = "sha3-512"
    /// BLAKE2b with 64 bytes (RFC 7693).
    case blake2b

    /// The algorithm of a name in any case, in which hyphens may be left out or added; `nil` if
    /// there is none.
    package init?(named name: some StringProtocol) {
        let plain = name.lowercased().filter { $0 != "-" }
        let found = Self.allCases.first { $0.rawValue.filter { $0 != "-" } == plain }
        guard let found else { return nil }
        self = found
    }

    /// The names of all algorithms, for messages.
    package static let names = allCases.map(\.rawValue).alternatives

    /// The number of bytes of a digest.
    public var byteCount: Int {
        switch self {
        case .crc32c: 4
        case .md5: 16
        case .sha1: 20
        case .sha256, .sha3_256: 32
        case .sha384: 48
        case .sha512, .sha3_512, .blake2b: 64
        }
    }
}

/// The digest of a whole file.
public struct ContentDigest: Hashable, Sendable {
    /// The algorithm of the digest.
    public var algorithm: DigestAlgorithm
    /// The bytes; their number depends on the algorithm.
    public var bytes: [UInt8]

    /// Creates a digest; `nil` if the number of bytes does not fit the algorithm.
    public init?(_ algorithm: DigestAlgorithm, bytes: [UInt8]) {
        guard bytes.count == algorithm.byteCount else { return nil }
        self.algorithm = algorithm
        self.bytes = bytes
    }

    /// The bytes in lower-case hexadecimal.
    public var hexadecimal: String { bytes.hexadecimal }

    /// Parses hexadecimal digits of either case; `nil` if they are not valid or their number does
    /// not fit.
    public init?(_ algorithm: DigestAlgorithm, hexadecimal: String) {
        guard let bytes = [UInt8](hexadecimal: hexadecimal) else { return nil }
        self.init(algorithm, bytes: bytes)
    }
}

extension ContentDigest {
    /// Parses the output of `description`.
    package init?(parsing text: String) {
        let parts = text.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, let algorithm = DigestAlgorithm(rawValue: String(parts[0])) else {
            return nil
        }
        self.init(algorithm, hexadecimal: String(parts[1]))
    }
}

extension ContentDigest: CustomStringConvertible {
    /// The digest as `sha256=…`, in the form of `--checksum`.
    public var description: String { "\(algorithm.rawValue)=\(hexadecimal)" }
}

extension ContentDigest: Codable {
    /// Decodes a digest from its `description`.
    ///
    /// Throws a `DecodingError` if the text is not an algorithm's name with as many bytes as that
    /// algorithm has.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let digest = ContentDigest(parsing: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a digest")
        }
        self = digest
    }

    /// Encodes the digest as its `description`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
