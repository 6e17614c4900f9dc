extension Representation {
    /// Creates the representation of the whole file from the head of a 200 or 206.
    package init(head: ResponseHead) {
        self.init(total: Self.total(of: head))
        entityTag = head["ETag"].flatMap { EntityTag(lenient: $0) }
        lastModified = head["Last-Modified"].map(\.trimmed).flatMap { $0.isEmpty ? nil : $0 }
        lastModifiedIsOld = Self.isOld(lastModified, at: head["Date"])
        mediaType = Self.mediaType(head["Content-Type"])
        contentEncoding = Self.contentEncoding(head["Content-Encoding"])
        digest = ServerDigests.parse(head).first
    }

    /// Whether this could be an HTML page.
    package var isHTML: Bool {
        mediaType == "text/html" || mediaType == "application/xhtml+xml"
    }

    private static func total(of head: ResponseHead) -> Int64? {
        if head.status == 206 {
            guard let field = head["Content-Range"],
                case .part(_, let total) = ContentRange(parsing: field)
            else { return nil }
            return total
        }
        guard case .sound(let length) = BodyFraming(of: head) else { return nil }
        return length
    }

    private static func isOld(_ lastModified: String?, at date: String?) -> Bool {
        guard let lastModified, let date, let modified = HTTPDate(parsing: lastModified),
            let sent = HTTPDate(parsing: date)
        else { return false }
        return sent.secondsSince1970 - modified.secondsSince1970 >= 1
    }

    private static func mediaType(_ field: String?) -> String? {
        let bytes = field?.utf8.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: ",") }
        let type = bytes.map { Substring($0).trimmed.lowercased() } ?? ""
        return type.isEmpty ? nil : type
    }

    static func contentEncoding(_ field: String?) -> String? {
        guard let field else { return nil }
        let codings = field.listMembers.map { $0.lowercased() }
            .filter { !$0.isEmpty && $0 != "identity" }
        return codings.isEmpty ? nil : codings.joined(separator: ", ")
    }
}
