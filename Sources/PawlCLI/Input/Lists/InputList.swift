internal import Pawl
package import PawlCore

/// A list of downloads, in one of several formats: the content shows which, or the ending `.csv`.
package struct InputList: Sendable {
    package struct Entry: Sendable {
        package var url: String
        /// `list.txt, line 3`.
        package var location: String
        package var options: [OptionAssignment] = []
        /// The ending of a signature's name after that of its file; `nil` if the entry is no
        /// signature.
        var signed: String?

        init(url: String, location: String) { (self.url, self.location) = (url, location) }

        fileprivate mutating func replaceOutput(with path: String, _ option: String) {
            options.removeAll { $0.name == "output" }
            options.append(OptionAssignment("output", path, at: .line(location, key: option)))
        }

        /// Adds an option; `given` is its own location if that differs from the entry's.
        mutating func add(
            _ key: String,
            _ value: String,
            at given: String? = nil
        ) throws(DownloadError) {
            let location = given ?? location
            switch ForeignListKey.meaning(of: key) {
            case .unknown:
                let known = DownloadOptions.names.joined(separator: ", ")
                throw .usage(
                    "\(location): '\(key)' is not an option that a list can contain",
                    advice: "use one of \(known)"
                )
            case .ignored: break
            case .option(let name):
                guard
                    DownloadOptions.isRepeatable(name)
                        || !options.contains(where: { $0.name == name })
                else {
                    throw .usage(
                        "\(location): '\(key)' is given twice for one URL",
                        advice: "remove one of them"
                    )
                }
                options.append(OptionAssignment(name, value, at: .line(location, key: key)))
            }
        }
    }

    /// How lists are read.
    package struct Reading: Sendable {
        /// The preferred countries of the sources of a Metalink, the best first.
        var countries: [String] = []
        /// Whether a server has sent the list, and not the user.
        var isFromServer = false

        package init() {}
    }

    package private(set) var entries: [Entry] = []
    /// Whether a server has sent a part of the list.
    private(set) var isFromServer = false

    /// Whether a part of the list is a Metalink.
    private var hasMetalink = false

    /// Creates a list of entries that were not read from a text.
    init(entries: [Entry]) { self.entries = entries }

    /// Gives the single file of a Metalink another path, and its signatures the same.
    mutating func rename(to output: String, _ option: String) throws(DownloadError) {
        guard hasMetalink else { throw Self.isForOneURL(option) }
        let files = entries.count { $0.signed == nil }
        guard files == 1 else {
            throw .usage(
                "\(option) cannot be used with a list of \(files) files",
                advice: "use --directory"
            )
        }
        guard output != "-" else {
            throw .usage(
                "\(option): a Metalink cannot be sent to standard output",
                advice: "give a file name, or the URL of the file"
            )
        }
        guard !ObjectAddress.isOne(output) || !output.isFolderPath else {
            throw .usage("\(option) names a folder of a bucket", advice: "use --directory for it")
        }
        for index in entries.indices {
            let ending = entries[index].signed ?? ""
            entries[index].replaceOutput(with: output + ending, option)
        }
    }

    /// The error for an option that names the file of one URL.
    static func isForOneURL(_ option: String) -> DownloadError {
        .usage(
            "\(option) and --input-file cannot be combined",
            advice: "write output=name below a URL in the list"
        )
    }

    /// Adds entries at the end.
    mutating func add(_ more: [Entry]) { entries += more }

    /// Parses a list.
    ///
    /// Errors contain its name and the line.
    package init(_ text: String, name: String) throws(DownloadError) {
        // Some editors write a byte order mark.
        let text = text.hasPrefix("\u{FEFF}") ? String(text.dropFirst()) : text
        switch Self.format(of: text, name) {
        case .text: entries = try TextList.entries(of: text, name)
        case .json: entries = try JSONList.entries(of: text, name)
        case .csv: entries = try CSVList.entries(of: text, name)
        }
        guard !entries.isEmpty else {
            throw .usage("\(name) contains no URL", advice: "write one URL per line")
        }
    }

    /// Parses a list or a Metalink, which tells its own encoding.
    init(bytes: [UInt8], name: String, _ reading: Reading) throws(DownloadError) {
        if Metalink.mayBe(bytes) {
            self.init(entries: try MetalinkList.entries(of: bytes, name, reading))
            hasMetalink = true
        } else if let text = String(validating: bytes, as: UTF8.self) {
            try self.init(text, name: name)
        } else {
            throw .usage("\(name) is not text in UTF-8", advice: "use a list of URLs or a Metalink")
        }
        isFromServer = reading.isFromServer
    }

    /// Adds the entries of another list.
    mutating func append(_ other: InputList) {
        entries += other.entries
        isFromServer = isFromServer || other.isFromServer
        hasMetalink = hasMetalink || other.hasMetalink
    }

    private enum Format { case text, json, csv }

    private static func format(of text: String, _ name: String) -> Format {
        if let first = text.unicodeScalars.first(where: { !$0.properties.isWhitespace }),
            first == "[" || first == "{"
        {
            return .json
        }
        return name.lowercased().hasSuffix(".csv") ? .csv : .text
    }

    /// Returns the lines of a text with their numbers.
    static func lines(of text: String) -> [(number: Int, line: String)] {
        // CR LF is one character, but two scalars.
        let lines = text.unicodeScalars.split(
            separator: "\n" as Unicode.Scalar,
            omittingEmptySubsequences: false
        )
        return zip(1..., lines).map { ($0, String($1)) }
    }

    static let blanks = " \t\r"
    /// The key of the file's name in lists with columns or members.
    static let nameKey = "name"
}
