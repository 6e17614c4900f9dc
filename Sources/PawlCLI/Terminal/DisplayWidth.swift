/// The width of text on a terminal in columns.
///
/// If terminals differ, this is the larger width: a short line looks bad, but a long one wraps.
package enum DisplayWidth {
    package static func of(_ text: String) -> Int {
        text.reduce(0) { $0 + of($1) }
    }

    /// The width of one grapheme cluster.
    package static func of(_ character: Character) -> Int {
        let scalars = character.unicodeScalars
        guard let first = scalars.first else { return 0 }
        if isPlainASCII(first), scalars.count == 1 { return 1 }
        if isEmoji(scalars, first) { return 2 }
        return scalars.reduce(0) { $0 + of($1) }
    }

    /// Whether terminals draw the sequence as one symbol of two columns.
    private static func isEmoji(_ scalars: Character.UnicodeScalarView, _ first: Unicode.Scalar)
        -> Bool
    {
        if first.properties.isEmojiPresentation { return true }
        guard first.properties.isEmoji else { return false }
        return scalars.dropFirst().contains { scalar in
            scalar.value == 0xFE0F || scalar.value == 0x200D || scalar.value == 0x20E3
                || scalar.properties.isEmojiModifier
        }
    }

    private static func of(_ scalar: Unicode.Scalar) -> Int {
        if isPlainASCII(scalar) { return 1 }
        if isJoiningJamo(scalar) { return 0 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark: return 0
        // The soft hyphen and the Arabic signs are format characters, but visible.
        case .format: return scalar.value == 0xAD || scalar.value < 0x900 ? 1 : 0
        default: return WideRanges.contains(scalar.value) ? 2 : 1
        }
    }

    private static func isPlainASCII(_ scalar: Unicode.Scalar) -> Bool {
        (0x20..<0x7F).contains(scalar.value)
    }

    /// Whether the scalar is a Hangul vowel or final consonant, which joins the consonant before
    /// it.
    private static func isJoiningJamo(_ scalar: Unicode.Scalar) -> Bool {
        (0x1160...0x11FF).contains(scalar.value) || (0xD7B0...0xD7FB).contains(scalar.value)
    }
}

extension String {
    /// The text shortened to at most `columns`: an ellipsis replaces the middle, so that the
    /// beginning and the extension of a file name stay visible.
    package func shortened(toColumns columns: Int, ellipsis: String = "…") -> String {
        guard DisplayWidth.of(self) > columns else { return self }
        let room = columns - DisplayWidth.of(ellipsis)
        guard room >= 2 else { return prefix(columns: columns) }
        let head = prefix(columns: room - room * 2 / 5)
        return head + ellipsis + suffix(columns: room - DisplayWidth.of(head))
    }

    /// The text, followed by spaces up to `columns`.
    package func padded(toColumns columns: Int) -> String {
        self + String(repeating: " ", count: max(0, columns - DisplayWidth.of(self)))
    }

    /// The text, preceded by spaces up to `columns`.
    package func rightAligned(inColumns columns: Int) -> String {
        String(repeating: " ", count: max(0, columns - DisplayWidth.of(self))) + self
    }

    private func prefix(columns: Int) -> String {
        var left = columns
        return String(
            prefix { character in
                left -= DisplayWidth.of(character)
                return left >= 0
            }
        )
    }

    private func suffix(columns: Int) -> String {
        var left = columns
        let start = reversed().prefix { character in
            left -= DisplayWidth.of(character)
            return left >= 0
        }
        return String(start.reversed())
    }
}

/// East Asian Wide and Fullwidth (UAX #11, Unicode 16), including unassigned code points within the
/// blocks.
private enum WideRanges {
    private static let ranges: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x231A...0x231B, 0x2329...0x232A, 0x23E9...0x23EC, 0x23F0...0x23F0,
        0x23F3...0x23F3, 0x25FD...0x25FE, 0x2614...0x2615, 0x2630...0x2637, 0x2648...0x2653,
        0x267F...0x267F, 0x268A...0x268F, 0x2693...0x2693, 0x26A1...0x26A1, 0x26AA...0x26AB,
        0x26BD...0x26BE, 0x26C4...0x26C5, 0x26CE...0x26CE, 0x26D4...0x26D4, 0x26EA...0x26EA,
        0x26F2...0x26F3, 0x26F5...0x26F5, 0x26FA...0x26FA, 0x26FD...0x26FD, 0x2705...0x2705,
        0x270A...0x270B, 0x2728...0x2728, 0x274C...0x274C, 0x274E...0x274E, 0x2753...0x2755,
        0x2757...0x2757, 0x2795...0x2797, 0x27B0...0x27B0, 0x27BF...0x27BF, 0x2B1B...0x2B1C,
        0x2B50...0x2B50, 0x2B55...0x2B55, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF,
        0x4DC0...0x4DFF, 0x4E00...0x9FFF, 0xA000...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3,
        0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6B, 0xFF01...0xFF60, 0xFFE0...0xFFE6,
        0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x1D300...0x1D376, 0x1F004...0x1F004,
        0x1F0CF...0x1F0CF, 0x1F18E...0x1F18E, 0x1F191...0x1F19A, 0x1F1E6...0x1F1FF,
        0x1F200...0x1F265, 0x1F300...0x1F320, 0x1F32D...0x1F335, 0x1F337...0x1F37C,
        0x1F37E...0x1F393, 0x1F3A0...0x1F3CA, 0x1F3CF...0x1F3D3, 0x1F3E0...0x1F3F0,
        0x1F3F4...0x1F3F4, 0x1F3F8...0x1F43E, 0x1F440...0x1F440, 0x1F442...0x1F4FC,
        0x1F4FF...0x1F53D, 0x1F54B...0x1F54E, 0x1F550...0x1F567, 0x1F57A...0x1F57A,
        0x1F595...0x1F596, 0x1F5A4...0x1F5A4, 0x1F5FB...0x1F64F, 0x1F680...0x1F6C5,
        0x1F6CC...0x1F6CC, 0x1F6D0...0x1F6D2, 0x1F6D5...0x1F6D7, 0x1F6DC...0x1F6DF,
        0x1F6EB...0x1F6EC, 0x1F6F4...0x1F6FC, 0x1F7E0...0x1F7EB, 0x1F7F0...0x1F7F0,
        0x1F90C...0x1F93A, 0x1F93C...0x1F945, 0x1F947...0x1F9FF, 0x1FA70...0x1FAFF,
        0x20000...0x3FFFD,
    ]

    static func contains(_ value: UInt32) -> Bool {
        var low = 0
        var high = ranges.count
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < value { low = middle + 1 } else { high = middle }
        }
        return low < ranges.count && ranges[low].lowerBound <= value
    }
}
