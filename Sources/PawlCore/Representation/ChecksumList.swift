/// A list of checksums, as `sha256sum` and BSD's `sha256` write it.
///
/// It may be signed in clear text: lines that do not begin like a checksum are ignored.
package struct ChecksumList: Sendable {
    package struct Entry: Hashable, Sendable {
        /// The name or path of the file; `nil` if the line contains only a checksum.
        package let name: String?
        package let digest: ContentDigest
    }

    package private(set) var entries: [Entry] = []
    /// The numbers of the lines that begin like a checksum, but are not valid.
    package private(set) var damagedLines: [Int] = []
    /// The numbers of the lines that do not begin like a checksum, except for comments.
    ///
    /// It is empty if the list is signed in clear text, because it then has other lines.
    package private(set) var ignoredLines: [Int] = []

    /// Parses a list.
    ///
    /// - Parameters:
    ///   - name: The name of the list, which may contain that of the algorithm: `B2SUMS`, `disk.iso.sha512`.
    package init(_ text: String, name: String) {
        let algorithms = Self.algorithms(named: name)
        let text = text.hasPrefix(Self.byteOrderMark) ? text.dropFirst() : text[...]
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() {
            let line = line.trimmed(of: " \t\r")
            if let entry = Self.tagged(line) ?? Self.plain(line, algorithms) {
                entries.append(entry)
            } else if Self.beginsLikeChecksum(line) {
                damagedLines.append(index + 1)
            } else if !line.isEmpty, !line.hasPrefix("#") {
                ignoredLines.append(index + 1)
            }
        }
        if text.contains("-----BEGIN PGP ") { ignoredLines = [] }
    }

    private static let byteOrderMark = "\u{FEFF}"

    /// Whether a line begins with an algorithm and a name, or with more hexadecimal digits than a
    /// word has.
    private static func beginsLikeChecksum(_ line: String) -> Bool {
        if let open = line.firstRange(of: " ("), line.contains(") = ") {
            return DigestAlgorithm(named: line[..<open.lowerBound]) != nil
        }
        return line.prefix { $0.isHexDigit }.count >= 16
    }

    /// The name of the first file for which the list has two different digests of one algorithm;
    /// `nil` if there is none.
    package var contradiction: String? {
        var digests: [String: ContentDigest] = [:]
        for entry in entries {
            guard let name = entry.name else { continue }
            let key = "\(entry.digest.algorithm.rawValue) \(name)"
            if let known = digests[key], known != entry.digest { return name }
            digests[key] = entry.digest
        }
        return nil
    }

    /// Returns the checksum of a file: that of its path, otherwise that of its name, otherwise the
    /// only one of a list without names.
    package func digest(of path: String) -> ContentDigest? {
        let names = [path, String(path.pathFile)]
        for name in names {
            if let entry = entries.last(where: { $0.name == name || $0.name == "./" + name }) {
                return entry.digest
            }
        }
        if let entry = entries.last(where: { $0.name?.pathFile == path.pathFile }) {
            return entry.digest
        }
        return entries.count == 1 && entries[0].name == nil ? entries[0].digest : nil
    }

    /// `SHA256 (name) = hex`.
    private static func tagged(_ line: String) -> Entry? {
        guard let open = line.firstRange(of: " ("), let close = line.ranges(of: ") = ").last,
            open.upperBound <= close.lowerBound,
            let algorithm = DigestAlgorithm(named: line[..<open.lowerBound]),
            let digest = ContentDigest(algorithm, hexadecimal: String(line[close.upperBound...]))
        else { return nil }
        return Entry(name: String(line[open.upperBound..<close.lowerBound]), digest: digest)
    }

    /// `hex  name` or `hex *name`; with a backslash in front, the name contains escapes.
    private static func plain(_ line: String, _ algorithms: [DigestAlgorithm]) -> Entry? {
        let isEscaped = line.hasPrefix("\\")
        let text = isEscaped ? line.dropFirst() : line[...]
        let digits = text.prefix { $0 != " " && $0 != "\t" }
        let digest = algorithms.lazy.compactMap { algorithm in
            ContentDigest(algorithm, hexadecimal: String(digits))
        }.first
        guard let digest else { return nil }
        var name = text[digits.endIndex...].drop { $0 == " " || $0 == "\t" }
        if name.hasPrefix("*") { name = name.dropFirst() }
        guard !name.isEmpty, name != "-" else { return Entry(name: nil, digest: digest) }
        return Entry(name: isEscaped ? unescaped(name) : String(name), digest: digest)
    }

    private static func unescaped(_ name: Substring) -> String {
        var text = ""
        var rest = name
        while let next = rest.popFirst() {
            guard next == "\\", let code = rest.popFirst() else {
                text.append(next)
                continue
            }
            text.append(code == "n" ? "\n" : code == "r" ? "\r" : code)
        }
        return text
    }

    /// The algorithms to try; those that the list's name contains come first.
    private static func algorithms(named name: String) -> [DigestAlgorithm] {
        let name = name.pathFile.lowercased().filter { $0 != "-" && $0 != "_" }
        let names: [(text: String, algorithm: DigestAlgorithm)] =
            DigestAlgorithm.allCases.map { ($0.rawValue.filter { $0 != "-" }, $0) }
            + [("b2sum", .blake2b), (".b2", .blake2b)]
        // `sha512` is not `sha3512`, and `sha3256` not `sha256`.
        let told = names.filter { name.contains($0.text) }.map(\.algorithm)
        let usual: [DigestAlgorithm] = [.sha256, .sha512, .sha1, .md5, .sha384, .crc32c]
        return told + usual
    }
}
