/// An algorithm that digests a whole file.
public enum DigestAlgorithm: String, Sendable, CaseIterable, Codable {
    /// MD5 (RFC 1321): finds accidents, not attackers.
    case md5
    /// SHA-1 (FIPS 180-4): finds accidents, not attackers.
    case sha1
    /// SHA-256 (FIPS 180-4).
    case sha256
    /// SHA-384 (FIPS 180-4).
    case sha384
    /// SHA-512 (FIPS 180-4).
    case sha512

    /// The number of bytes of a digest.
    public var byteCount: Int {
        switch self {
        case .md5: 16
        case .sha1: 20
        case .sha256: 32
        case .sha384: 48
        case .sha512: 64
        }
    }
}

/// The digest of a whole file.
public struct ContentDigest: Hashable, Sendable {
    /// How it was made.
    public var algorithm: DigestAlgorithm
    /// As many bytes as the algorithm makes.
    public var bytes: [UInt8]

    /// Makes a digest, nil where the number of bytes is not the algorithm's.
    public init?(_ algorithm: DigestAlgorithm, bytes: [UInt8]) {
        guard bytes.count == algorithm.byteCount else { return nil }
        self.algorithm = algorithm
        self.bytes = bytes
    }

    /// The bytes in lower-case hexadecimal.
    public var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        let text = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return String(decoding: text, as: UTF8.self)
    }

    /// Reads hexadecimal of either case, nil where it is none or of another length.
    public init?(_ algorithm: DigestAlgorithm, hexadecimal: String) {
        let digits = hexadecimal.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        guard digits.count == hexadecimal.utf8.count, digits.count.isMultiple(of: 2) else {
            return nil
        }
        let bytes = stride(from: 0, to: digits.count, by: 2).map {
            UInt8(digits[$0] << 4 | digits[$0 + 1])
        }
        self.init(algorithm, bytes: bytes)
    }
}

extension ContentDigest {
    /// Reads what `description` writes.
    package init?(parsing text: String) {
        let parts = text.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, let algorithm = DigestAlgorithm(rawValue: String(parts[0])) else {
            return nil
        }
        self.init(algorithm, hexadecimal: String(parts[1]))
    }
}

extension ContentDigest: CustomStringConvertible {
    /// `sha256=…`, as `--checksum` takes it.
    public var description: String { "\(algorithm.rawValue)=\(hexadecimal)" }
}
