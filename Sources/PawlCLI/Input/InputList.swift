package import PawlCore

/// A list of downloads: a URL a line, `#` comments, and indented `key=value` lines that are
/// options of the URL above.
package struct InputList: Sendable {
    package struct Entry: Sendable {
        package var url: String
        /// `list.txt, line 3`.
        package var place: String
        package var options: [OptionAssignment] = []
    }

    package private(set) var entries: [Entry] = []
    private let name: String

    /// Reads a list; errors name it and the line.
    package init(_ text: String, name: String) throws(DownloadError) {
        self.name = name
        var number = 0
        let lines = text.unicodeScalars.split(
            separator: "\n" as Unicode.Scalar,
            omittingEmptySubsequences: false
        )
        for line in lines {
            number += 1
            try read(String(line), place: "\(name), line \(number)")
        }
        guard !entries.isEmpty else {
            throw DownloadError(
                .usage,
                "\(name) holds no URL",
                advice: "write a URL a line into it"
            )
        }
    }

    private mutating func read(_ line: String, place: String) throws(DownloadError) {
        // Lists come from editors that write a byte order mark and from other systems.
        let line = entries.isEmpty && line.hasPrefix("\u{FEFF}") ? String(line.dropFirst()) : line
        let content = Self.trimmed(line)
        guard let first = content.first, first != "#" else { return }
        guard line.first == " " || line.first == "\t" else {
            entries.append(Entry(url: content, place: place))
            return
        }
        try readOption(content, place: place)
    }

    private mutating func readOption(_ text: String, place: String) throws(DownloadError) {
        guard let index = entries.indices.last else {
            throw DownloadError(
                .usage,
                "\(place): an option with no URL above it",
                advice: "start the line of a URL without a space"
            )
        }
        guard let mark = text.firstIndex(of: "=") else {
            throw DownloadError(
                .usage,
                "\(place): an option without '='",
                advice: "write key=value; start the line of a URL without a space"
            )
        }
        let key = Self.trimmed(String(text[..<mark]))
        guard OrderSettings.isName(key) else {
            let known = OrderSettings.names.joined(separator: ", ")
            throw DownloadError(
                .usage,
                "\(place): '\(key)' is no option of a list",
                advice: "use one of \(known)"
            )
        }
        guard
            OrderSettings.isRepeatable(key)
                || !entries[index].options.contains(where: { $0.name == key })
        else {
            throw DownloadError(
                .usage,
                "\(place): '\(key)' is given twice for one URL",
                advice: "leave one of them out"
            )
        }
        let value = Self.trimmed(String(text[text.index(after: mark)...]))
        entries[index].options.append(
            OptionAssignment(key, value, place: "\(place): \(key)")
        )
    }

    private static func trimmed(_ text: String) -> String {
        let isSpace = { (character: Unicode.Scalar) in
            character == " " || character == "\t" || character == "\r"
        }
        let start = text.unicodeScalars.drop(while: isSpace)
        let end = start.lastIndex { !isSpace($0) }
        return end.map { String(start[...$0]) } ?? ""
    }
}
