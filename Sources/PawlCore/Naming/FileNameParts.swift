/// A file's name in two parts: the stem, and the suffix that names its type (`.iso`, `.tar.gz`).
package struct FileNameParts: Hashable, Sendable {
    package var stem: String
    /// The suffix with its dot; empty if there is none.
    package var suffix: String

    package init(_ name: String) {
        stem = name
        suffix = ""
        moveExtension()
        // A compressed `tar` file keeps the extension `.tar`, which therefore belongs to the
        // suffix.
        guard !suffix.isEmpty, stem.lowercased().hasSuffix(".tar"), stem.utf8.count > 4 else {
            return
        }
        suffix = stem.suffix(4) + suffix
        stem.removeLast(4)
    }

    /// Moves the extension to the suffix.
    ///
    /// It has up to 16 letters and digits, at least one letter: `1.2.3` is a version.
    private mutating func moveExtension() {
        guard let dot = stem.utf8.lastIndex(of: UInt8(ascii: ".")), dot > stem.startIndex else {
            return
        }
        let candidate = stem[stem.utf8.index(after: dot)...].utf8
        guard candidate.count <= 16, candidate.contains(where: \.isLetter),
            candidate.allSatisfy({ $0.isLetter || $0.isDigit })
        else { return }
        suffix = String(stem[dot...])
        stem = String(stem[..<dot])
    }
}
