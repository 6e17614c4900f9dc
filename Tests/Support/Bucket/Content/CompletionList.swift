/// The list of parts with which a client completes an upload.
struct CompletionList: Hashable, Sendable {
    struct Entry: Hashable, Sendable {
        var number: Int
        /// The entity tag with its quotes.
        var entityTag: String
        /// The texts of checksums, by the names of their elements.
        var checksums: [String: String]
    }

    private(set) var entries: [Entry] = []

    private static let root = "CompleteMultipartUpload"
    private static let mostParts = 10_000

    /// Reads a document; returns `nil` if it is not a list with one part at least.
    init?(_ document: [UInt8]) {
        var path: [String] = []
        var values: [String: String] = [:]
        var rest = String(decoding: document, as: UTF8.self)[...]
        var text = ""
        var isComplete = false
        while let start = rest.firstIndex(of: "<") {
            text += rest[..<start]
            guard let end = rest[start...].firstIndex(of: ">") else { return nil }
            let tag = rest[rest.index(after: start)..<end]
            rest = rest[rest.index(after: end)...]
            if tag.hasPrefix("?"), path.isEmpty, !isComplete { continue }
            if tag.hasPrefix("/") {
                guard path.popLast().map({ $0 == tag.dropFirst() }) == true else { return nil }
                switch path {
                case []: isComplete = true
                case [Self.root]:
                    guard let entry = Self.entry(values) else { return nil }
                    entries.append(entry)
                default: values[String(tag.dropFirst())] = Self.plain(text)
                }
            } else {
                let name = tag.prefix { !$0.isWhitespace }
                let expected = path.isEmpty ? Self.root : path.count == 1 ? "Part" : String(name)
                guard !isComplete, !tag.hasSuffix("/"), path.count < 3, name == expected,
                    !tag.hasPrefix("!")
                else { return nil }
                if path.count == 1 { values = [:] }
                path.append(String(name))
            }
            text = ""
        }
        guard isComplete, (1...Self.mostParts).contains(entries.count) else { return nil }
    }

    private static func entry(_ values: [String: String]) -> Entry? {
        guard let number = values["PartNumber"].flatMap({ Int($0) }), let tag = values["ETag"]
        else { return nil }
        let name = tag.filter { $0 != "\"" }
        let checksums = values.filter { $0.key.hasPrefix("Checksum") }
        return Entry(number: number, entityTag: "\"\(name)\"", checksums: checksums)
    }

    private static func plain(_ text: String) -> String {
        let references = [
            ("&quot;", "\""), ("&#34;", "\""), ("&#x22;", "\""), ("&lt;", "<"), ("&gt;", ">"),
            ("&amp;", "&"),
        ]
        return references.reduce(text.filter { !$0.isWhitespace }) { text, pair in
            text.replacing(pair.0, with: pair.1)
        }
    }
}
