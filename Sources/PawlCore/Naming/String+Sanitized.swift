extension String {
    /// The text with control characters replaced by U+FFFD, safe for a terminal or a log.
    ///
    /// C0 and C1 controls, DEL, line separators, and characters that reorder text (bidirectional
    /// overrides) are replaced. The latter can make one name look like another.
    package var sanitized: String {
        guard holdsUnsafeToShow else { return self }
        var clean = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            clean.append(scalar.isUnsafeToShow ? "\u{FFFD}" : scalar)
        }
        return String(clean)
    }

    package var holdsUnsafeToShow: Bool {
        // Most texts are plain, and bytes are checked faster than scalars.
        !utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
            && unicodeScalars.contains(where: \.isUnsafeToShow)
    }

    /// Returns the sanitized text, shortened, for quoting what a peer sent.
    package func sanitized(atMost limit: Int) -> String {
        let cut = unicodeScalars.prefix(limit)
        let isWhole = cut.endIndex == unicodeScalars.endIndex
        return String(cut).sanitized + (isWhole ? "" : "…")
    }
}

extension Unicode.Scalar {
    package var isUnsafeToShow: Bool {
        switch value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029: true
        default: reordersText
        }
    }

    /// Whether this is a bidirectional mark, embedding, override or isolate (UAX #9 §2).
    package var reordersText: Bool {
        switch value {
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
