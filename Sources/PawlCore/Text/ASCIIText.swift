/// ASCII scalars in a text, including those that are one `Character` with a following combining
/// mark.
///
/// The methods of `String` do not find these.
extension StringProtocol {
    /// Returns the text with each occurrence of an ASCII scalar replaced.
    package func replacingASCII(_ scalar: Unicode.Scalar, with text: String) -> String {
        var result = String.UnicodeScalarView()
        for own in unicodeScalars {
            if own == scalar {
                result.append(contentsOf: text.unicodeScalars)
            } else {
                result.append(own)
            }
        }
        return String(result)
    }
}

extension Substring {
    /// The text without the given ASCII scalars at its ends.
    package func trimmed(of blanks: String) -> String {
        let isVisible = { (byte: UInt8) in !blanks.utf8.contains(byte) }
        guard let first = utf8.firstIndex(where: isVisible),
            let last = utf8.lastIndex(where: isVisible)
        else { return "" }
        return String(Substring(utf8[first...last]))
    }
}

extension StringProtocol where SubSequence == Substring {
    /// Returns the pieces between the occurrences of an ASCII scalar, also the empty ones.
    package func pieces(at separator: Unicode.Scalar) -> [Substring] {
        self[...].utf8.split(separator: UInt8(ascii: separator), omittingEmptySubsequences: false)
            .map { Substring($0) }
    }
}
