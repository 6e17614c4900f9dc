package import PawlCore

/// A list of downloads: one URL per line, `#` comments, and indented `key=value` lines, which are
/// options of the URL above them.
package struct InputList: Sendable {
    package struct Entry: Sendable {
        package var url: String
        /// `list.txt, line 3`.
        package var location: String
        package var options: [OptionAssignment] = []
    }

    package private(set) var entries: [Entry] = []
    private let name: String

    /// Parses a list.
    ///
    /// Errors contain its name and the line.
    package init(_ text: String, name: String) throws(DownloadError) {
        self.name = name
        var number = 0
        let lines = text.unicodeScalars.split(
            separator: "\n" as Unicode.Scalar,
            omittingEmptySubsequences: false
        )
        for line in lines {
            number += 1
            try read(String(line), location: "\(name), line \(number)")
        }
        guard !entries.isEmpty else {
            throw .usage("\(name) contains no URL", advice: "write one URL per line")
        }
    }

    private mutating func read(_ line: String, location: String) throws(DownloadError) {
        // Some editors write a byte order mark.
        let line = entries.isEmpty && line.hasPrefix("\u{FEFF}") ? String(line.dropFirst()) : line
        let content = line[...].trimmed(of: Self.blanks)
        guard let first = content.first, first != "#" else { return }
        guard line.first == " " || line.first == "\t" else {
            entries.append(Entry(url: content, location: location))
            return
        }
        try readOption(content, location: location)
    }

    private mutating func readOption(_ text: String, location: String) throws(DownloadError) {
        guard let index = entries.indices.last else {
            throw .usage(
                "\(location): there is no URL above this option",
                advice: "write the URL first, in a line that is not indented"
            )
        }
        guard let mark = text.firstIndex(of: "=") else {
            throw .usage(
                "\(location): an indented line is an option, but this one has no '='",
                advice: "write key=value, or do not indent the line if it is a URL"
            )
        }
        let key = text[..<mark].trimmed(of: Self.blanks)
        guard DownloadOptions.isName(key) else {
            let known = DownloadOptions.names.joined(separator: ", ")
            throw .usage(
                "\(location): '\(key)' is not an option that a list can contain",
                advice: "use one of \(known)"
            )
        }
        guard
            DownloadOptions.isRepeatable(key)
                || !entries[index].options.contains(where: { $0.name == key })
        else {
            throw .usage(
                "\(location): '\(key)' is given twice for one URL",
                advice: "remove one of them"
            )
        }
        let value = text[text.index(after: mark)...].trimmed(of: Self.blanks)
        entries[index].options.append(
            OptionAssignment(key, value, location: "\(location): \(key)")
        )
    }

    private static let blanks = " \t\r"
}
