internal import struct FoundationEssentials.Data
internal import class FoundationEssentials.JSONDecoder
internal import PawlCore

/// Parses a file of the drop folder.
///
/// Either all of its entries are valid, or none is used.
package enum DropList {
    package static let longestFile = 16 << 20
    private static let mostItems = 100_000

    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A shortcut of Windows or freedesktop.org, or a single URL.
        case url
        /// One URL per line; empty lines and lines that begin with `#` are ignored.
        case txt
        /// A list of URLs, or of objects with `url` and optionally `key` and `name`.
        case json

        /// Returns `nil` for a name that the drop folder ignores.
        package init?(fileName: String) {
            guard !fileName.hasPrefix("."), let dot = fileName.lastIndex(of: ".") else {
                return nil
            }
            self.init(rawValue: fileName[dot...].dropFirst().lowercased())
        }
    }

    /// The reason why a file is not valid, for people.
    package struct Fault: Error, Hashable, Sendable {
        package let reason: String
    }

    /// Parses a file.
    ///
    /// `digest` returns a short digest of a text, for the keys of URLs that contain secrets.
    package static func read(
        _ bytes: [UInt8],
        _ kind: Kind,
        digest: (String) -> String
    ) throws(Fault) -> [DropItem] {
        let entries: [DropEntry]
        switch kind {
        case .json: entries = try readJSON(bytes)
        case .txt: entries = readLines(try text(bytes))
        case .url: entries = [DropEntry(url: try readShortcut(try text(bytes)))]
        }
        var items: [DropItem] = []
        for entry in entries { items.append(try item(entry, digest)) }
        guard !items.isEmpty else { throw Fault(reason: "it contains no URL") }
        guard items.count <= mostItems else {
            throw Fault(reason: "it contains \(items.count) URLs, more than \(mostItems)")
        }
        return items
    }

    private static func text(_ bytes: [UInt8]) throws(Fault) -> [Substring] {
        let coding = TextCoding.marked(bytes)?.coding ?? .utf8
        guard let text = coding.decode(bytes) else {
            throw Fault(reason: "it is not UTF-8 text")
        }
        return text.split(whereSeparator: \.isNewline)
    }

    private static func readLines(_ lines: [Substring]) -> [DropEntry] {
        lines.map(\.trimmed).filter { !$0.isEmpty && !$0.hasPrefix("#") }
            .map { DropEntry(url: String($0)) }
    }

    /// Parses a shortcut: `[InternetShortcut]` and `[Desktop Entry]` contain a line `URL=…`.
    private static func readShortcut(_ lines: [Substring]) throws(Fault) -> String {
        let lines = lines.map { String($0.trimmed) }.filter { !$0.isEmpty && !$0.hasPrefix("#") }
        guard let first = lines.first else { throw Fault(reason: "it is empty") }
        guard first.hasPrefix("[") else {
            guard lines.count == 1 else {
                throw Fault(reason: "it is neither a shortcut nor a single URL")
            }
            return first
        }
        var section = ""
        for line in lines where !line.hasPrefix(";") {
            if line.hasPrefix("[") {
                section = line.lowercased()
                continue
            }
            let parts = line.split(separator: "=", maxSplits: 1).map { $0.trimmed }
            guard section == "[internetshortcut]" || section == "[desktop entry]",
                parts.count == 2, parts[0].lowercased() == "url"
            else { continue }
            return String(parts[1])
        }
        throw Fault(reason: "it is a shortcut without a URL")
    }

    private static func readJSON(_ bytes: [UInt8]) throws(Fault) -> [DropEntry] {
        // The decoder's own messages are not meant for people.
        guard let list = try? JSONDecoder().decode([DropEntry].self, from: Data(bytes)) else {
            throw Fault(
                reason: "it is not a JSON list of URLs, or of objects with url, key and name"
            )
        }
        return list
    }

    private static func item(
        _ entry: DropEntry,
        _ digest: (String) -> String
    ) throws(Fault) -> DropItem {
        do throws(DownloadError) {
            let url = try SourceURL.parse(entry.url).url
            // Others write these files; they must not use the user's keys for SSH.
            guard URLScheme(of: url.scheme)?.isHTTP == true else {
                throw .usage(
                    "'\(url.redacted)' is not used (ftp or another scheme): a drop file may name only HTTP URLs"
                )
            }
            return DropItem(url: url, key: entry.key, name: entry.name, digest: digest)
        } catch {
            throw Fault(reason: error.message)
        }
    }
}

/// One URL of a file, as it is written there.
private struct DropEntry: Decodable {
    var url: String
    var key: String?
    var name: String?

    private enum CodingKeys: String, CodingKey { case url, key, name }

    init(url: String) { self.url = url }

    init(from decoder: any Decoder) throws {
        // A plain text is a URL.
        if let url = try? decoder.singleValueContainer().decode(String.self) {
            self.url = url
            return
        }
        let values = try decoder.container(keyedBy: CodingKeys.self)
        url = try values.decode(String.self, forKey: .url)
        key = try values.decodeIfPresent(String.self, forKey: .key)
        name = try values.decodeIfPresent(String.self, forKey: .name)
    }
}
