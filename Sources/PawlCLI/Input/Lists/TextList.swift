internal import PawlCore

/// A list with one URL per line, `#` comments, and indented `key=value` lines, which are options of
/// the URL above them.
///
/// wget's lists have only URLs, which may be indented. In aria2's lists, a line can have several URLs of one file,
/// separated by tabs.
enum TextList {
    static func entries(of text: String, _ name: String) throws(DownloadError) -> [InputList.Entry]
    {
        var entries: [InputList.Entry] = []
        for (number, line) in InputList.lines(of: text) {
            let content = line[...].trimmed(of: InputList.blanks)
            guard let first = content.first, first != "#" else { continue }
            let location = "\(name), line \(number)"
            guard line.first == " " || line.first == "\t", !isURL(content) else {
                entries.append(try entry(content, location))
                continue
            }
            guard let index = entries.indices.last else {
                throw .usage(
                    "\(location): there is no URL above this option",
                    advice: "write the URL first, in a line that is not indented"
                )
            }
            let (key, value) = try option(content, location)
            try entries[index].add(key, value, at: location)
        }
        return entries
    }

    /// Whether an indented line is a URL and not an option, whose key contains no colon.
    private static func isURL(_ content: String) -> Bool {
        guard let scheme = URLScheme(of: AddressParts(content).scheme) else { return false }
        return content.lowercased().hasPrefix("\(scheme.rawValue)://")
    }

    private static func entry(
        _ line: String,
        _ location: String
    ) throws(DownloadError) -> InputList.Entry {
        let urls = line.split(separator: "\t").map { $0.trimmed(of: InputList.blanks) }
        var entry = InputList.Entry(url: urls.first ?? "", location: location)
        for mirror in urls.dropFirst() { try entry.add("mirror", mirror) }
        return entry
    }

    private static func option(
        _ line: String,
        _ location: String
    ) throws(DownloadError) -> (key: String, value: String) {
        guard let mark = line.firstIndex(of: "=") else {
            throw .usage(
                "\(location): an indented line is an option, but this one has no '='",
                advice: "write key=value, or do not indent the line if it is a URL"
            )
        }
        let key = line[..<mark].trimmed(of: InputList.blanks)
        let value = line[line.index(after: mark)...].trimmed(of: InputList.blanks)
        return (key, value)
    }
}
