/// Hides the matrix parameters of a URL's path (`/file;key=value`, RFC 3986 §3.3), whose values may
/// be secrets.
///
/// The rules are those for the parameters of a query (`QueryRedaction`).
package enum PathRedaction {
    /// Returns the path with possible secrets hidden.
    ///
    /// Applying it twice changes nothing more.
    package static func redacted(_ path: String) -> String {
        guard path.utf8.contains(UInt8(ascii: ";")) else { return path }
        return path.pieces(at: "/")
            .map { segment in
                segment.pieces(at: ";").map { hasSecret($0) ? hidden($0) : String($0) }
                    .joined(separator: ";")
            }
            .joined(separator: "/")
    }

    /// Returns one segment of a path, still encoded, without the parameters that may be secrets.
    ///
    /// The result can name a file.
    package static func withoutSecrets(_ segment: Substring) -> Substring {
        guard segment.utf8.contains(UInt8(ascii: ";")) else { return segment }
        return segment.pieces(at: ";").filter { !hasSecret($0) }.joined(separator: ";")[...]
    }

    private static func hasSecret(_ part: Substring) -> Bool {
        // The segment's own name, up to the first semicolon, is not a parameter.
        guard part.startIndex > part.base.startIndex, let equals = equalsSign(in: part),
            part.base.utf8[..<part.startIndex].last == UInt8(ascii: ";")
        else { return false }
        let value = part[part.utf8.index(after: equals)...]
        return !QueryRedaction.shows(part[..<equals].percentDecoded, value.percentDecoded)
    }

    private static func hidden(_ part: Substring) -> String {
        (equalsSign(in: part).map { "\(part[..<$0])=" } ?? "") + QueryRedaction.mark
    }

    private static func equalsSign(in part: Substring) -> String.Index? {
        part.utf8.firstIndex(of: UInt8(ascii: "="))
    }
}
