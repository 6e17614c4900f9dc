internal import PawlCore

/// Reads a list with one URL per line, `#` comments, and indented `key=value` lines, which are options of
/// the URL above them.
///
/// wget's lists have only URLs, which may be indented. In aria2's lists, a line can have several URLs of one file,
/// separated by tabs.
struct TextList {
    private let name: String
    /// The last entry, which options may follow.
    private var last: (entry: InputList.Entry, number: Int)?
    /// The number of the line of the entry that was returned last.
    private(set) var lineOfReturned = 0

    /// Whether there is an entry that options may follow.
    var hasEntry: Bool { last != nil }

    /// `name`: the name of the list in errors.
    init(_ name: String) { self.name = name }

    static func entries(of text: String, _ name: String) throws(DownloadError) -> [InputList.Entry]
    {
        var entries: [InputList.Entry] = []
        var list = TextList(name)
        for (number, line) in InputList.lines(of: text) {
            if let entry = try list.read(line, number) { entries.append(entry) }
        }
        if let entry = list.takeLast() { entries.append(entry) }
        return entries
    }

    /// Reads a line; returns the entry before it if that is complete.
    mutating func read(_ line: String, _ number: Int) throws(DownloadError) -> InputList.Entry? {
        let content = line[...].trimmed(of: InputList.blanks)
        guard let first = content.first, first != "#" else { return nil }
        let location = "\(name), line \(number)"
        guard line.first == " " || line.first == "\t", !Self.isURL(content) else {
            let entry = takeLast()
            last = (try Self.entry(content, location), number)
            return entry
        }
        guard last != nil else {
            throw .usage(
                "\(location): there is no URL above this option",
                advice: "write the URL first, in a line that is not indented"
            )
        }
        do throws(DownloadError) {
            let (key, value) = try Self.option(content, location)
            try last?.entry.add(key, value, at: location)
        } catch {
            // Without this option, the entry is not what the list means.
            last = nil
            throw error
        }
        return nil
    }

    /// Returns the last entry, which no option follows.
    mutating func takeLast() -> InputList.Entry? {
        guard let (entry, number) = last else { return nil }
        (last, lineOfReturned) = (nil, number)
        return entry
    }

    /// Whether an indented line is a URL and not an option, whose key contains no colon.
    static func isURL(_ content: String) -> Bool {
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
