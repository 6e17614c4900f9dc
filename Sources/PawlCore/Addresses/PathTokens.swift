/// Finds the parts of a URL's path that look like secret tokens, as in *capability URLs* such as
/// `/share/Zm9vYmFyIGJhe…/file`.
///
/// Nothing marks such a token, so this is a guess by length and by the mix of characters. It applies to
/// URLs that are stored with a finished file, because they leave the machine with the file. Logs and
/// lists show whole paths, because the guess also hides some harmless names.
package enum PathTokens {
    /// The minimum number of letters and digits, if there are capital and small letters: slightly
    /// fewer than the 22 characters of 128 random bits in Base64, a few of which are neither.
    private static let shortestMixed = 20
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
        guard name.utf8.count >= shortestMixed else { return false }
        let words = name.percentDecoded.utf8.split { byte in
            !byte.isLetter && !byte.isDigit && !isJoining(byte)
        }
        // A JSON Web Token begins with `{"` in Base64.
        return words.contains { $0.starts(with: "eyJ".utf8) || isRandom($0) }
    }

    /// Whether a byte joins words, and also occurs in Base64.
    private static func isJoining(_ byte: UInt8) -> Bool { "-_+".utf8.contains(byte) }

    private static func isRandom(_ word: Substring.UTF8View) -> Bool {
        let parts = word.split(omittingEmptySubsequences: false, whereSeparator: isJoining)
        // Random Base64 has one such byte in 32, and names have one between two words.
        guard (parts.count - 1) * 10 <= word.count else { return false }
        // A digest, a commit or a UUID names a file, and is usually no secret.
        let bytes = Array(parts.filter { !$0.allSatisfy(isHexadecimal) }.joined())
        guard bytes.contains(where: \.isDigit) else { return false }
        let kinds = Set(bytes.map(Kind.init))
        let changes = zip(bytes, bytes.dropFirst()).count { Kind($0) != Kind($1) }
        let pairs = bytes.count - 1
        // In a random text, 62% of the pairs are of two kinds; in one of words such as
        // `VisualStudioSetup2022`, 30%.
        guard kinds.count < Kind.allCases.count else {
            return bytes.count >= shortestMixed && changes * 100 >= pairs * 45
        }
        // Here they are 31% or more.
        return kinds.count == 2 && parts.count == 1 && bytes.count >= shortestPlain
            && changes * 5 >= pairs
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
