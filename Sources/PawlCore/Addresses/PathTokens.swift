/// Finds the parts of a URL's path that look like secret tokens, as in *capability URLs* such as
/// `/share/Zm9vYmFyIGJhe…/file`.
///
/// Nothing marks such a token, so this is a guess by length and by the mix of characters. It applies to
/// URLs that are stored with a finished file, because they leave the machine with the file. Logs and
/// lists show whole paths, because the guess also hides some harmless names.
package enum PathTokens {
    /// The minimum length, slightly less than the 22 characters of 128 random bits in Base64.
    private static let shortest = 20
    /// The minimum number of letters and digits, if there are capital and small letters: in Base64,
    /// a few characters are neither.
    private static let shortestMixed = 18
    /// The same if there are only small or only capital letters, as in Base32.
    private static let shortestPlain = 24

    /// Returns the path without the names that may be tokens.
    ///
    /// Applying it twice changes nothing more.
    package static func redacted(_ path: String) -> String {
        path.pieces(at: "/")
            .map { isLikely($0) ? QueryRedaction.mark : String($0) }
            .joined(separator: "/")
    }

    /// Whether a name in a path, still encoded, may be or contain a token.
    static func isLikely(_ name: Substring) -> Bool {
        guard name.utf8.count >= shortest, !isContentAddress(name) else { return false }
        let words = name.percentDecoded.utf8.split { byte in
            !byte.isLetter && !byte.isDigit && !isJoining(byte)
        }
        return words.contains { word in
            // A JSON Web Token begins with `{"` in Base64.
            word.starts(with: "eyJ".utf8) || isRandom(word)
                || word.split(separator: UInt8(ascii: "/")).contains(where: isRandom)
        }
    }

    /// Whether a name is a digest of a file in an encoding of its own: that of an archive of Nix,
    /// or a CID of IPFS.
    private static func isContentAddress(_ name: Substring) -> Bool {
        let bytes = Array(name.utf8)
        let digest = bytes.prefix { $0 != UInt8(ascii: ".") }
        let rest = bytes.dropFirst(digest.count)
        let length = rest.starts(with: ".narinfo".utf8) ? 32 : 52
        if rest.starts(with: ".nar".utf8) {
            return digest.count == length
                && digest.allSatisfy { byte in
                    byte.isDigit || isSmall(byte) && !"eotu".utf8.contains(byte)
                }
        }
        guard rest.isEmpty else { return false }
        if digest.count == 59, digest.first == UInt8(ascii: "b") {
            return digest.allSatisfy { isSmall($0) || (0x32...0x37).contains($0) }
        }
        return digest.count == 46 && digest.starts(with: "Qm".utf8)
            && digest.allSatisfy { byte in
                (byte.isDigit || byte.isLetter) && !"0OIl".utf8.contains(byte)
            }
    }

    private static func isSmall(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    }

    /// Whether a byte joins words, and also occurs in Base64.
    private static func isJoining(_ byte: UInt8) -> Bool { "-_+/".utf8.contains(byte) }

    private static func isRandom(_ word: Substring.UTF8View) -> Bool {
        let parts = word.split(omittingEmptySubsequences: false, whereSeparator: isJoining)
        // A digest, a commit or a UUID names a file, and is usually no secret.
        let bytes = Array(parts.filter { !$0.allSatisfy(isHexadecimal) }.joined())
        guard bytes.contains(where: \.isDigit) else { return false }
        let kinds = Set(bytes.map(Kind.init))
        let changes = zip(bytes, bytes.dropFirst()).count { Kind($0) != Kind($1) }
        let pairs = bytes.count - 1
        guard kinds.count < Kind.allCases.count else {
            guard word.count >= shortest, bytes.count >= shortestMixed else { return false }
            let run = longestRun(in: word)
            // Random Base64 has one such byte in 32, and names have one between two words.
            if (parts.count - 1) * 10 > word.count { return run < 4 && changes * 100 >= pairs * 45 }
            // In a random text, 62% of the pairs are of two kinds; in one of words such as
            // `VisualStudioSetup2022`, 30%. Between them, five small letters show a word.
            return changes * 100 >= pairs * (run < 5 ? 35 : 45)
        }
        // Here they are 31% or more.
        return kinds.count == 2 && parts.count == 1 && bytes.count >= shortestPlain
            && changes * 8 >= pairs
    }

    /// The largest number of small letters in a row.
    private static func longestRun(in word: Substring.UTF8View) -> Int {
        word.split { !isSmall($0) }.map(\.count).max() ?? 0
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        byte.isDigit || byte.isLetter && byte | 0x20 <= UInt8(ascii: "f")
    }

    private enum Kind: CaseIterable {
        case digit, capital, small

        /// The kind of a letter or a digit.
        init(_ byte: UInt8) {
            self = byte.isDigit ? .digit : byte < UInt8(ascii: "a") ? .capital : .small
        }
    }
}
