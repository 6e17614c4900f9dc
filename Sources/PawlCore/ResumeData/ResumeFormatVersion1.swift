internal import struct FoundationEssentials.URL

/// The payload of the first version.
enum ResumeFormatVersion1 {
    static func write(_ content: ResumeContent) -> [UInt8] {
        let claims = content.written.count + content.durable.count
        var writer = ByteWriter(capacity: 1024 + 24 * claims)
        writer.put(content.url.absoluteString)
        writer.put(content.method)
        writer.put(UInt32(clamping: content.fields.count))
        for field in content.fields {
            writer.put(field.name)
            writer.put(field.value)
        }
        writer.put(UInt32(clamping: content.omittedFields.count))
        for name in content.omittedFields { writer.put(name) }
        writer.put(content.representation)
        writer.put(optional: content.expectedDigest?.description)
        writer.put(content.written)
        writer.put(content.durable)
        writer.put(content.importedBytes)
        writer.put(content.bootIdentity)
        writer.put(content.partialPath)
        writer.put(content.finalPath)
        writer.put(optional: content.storageKey)
        writer.put(content.createdAt)
        return writer.bytes
    }

    /// Reads the payload.
    ///
    /// Nothing is trusted: the checksum detects accidents, not data made by hand.
    static func read(_ payload: ArraySlice<UInt8>) throws(MalformedBytes) -> ResumeContent {
        var reader = ByteReader(payload)
        var content = ResumeContent(url: try reader.url())
        content.method = try reader.text()
        content.fields = try reader.fields()
        content.omittedFields = try reader.names()
        content.representation = try reader.representation()
        content.expectedDigest = try reader.optionalDigest()
        let total = content.representation.total
        content.written = try reader.claims(within: total)
        content.durable = try reader.claims(within: total)
        content.importedBytes = try reader.number()
        guard (0...(total ?? .max)).contains(content.importedBytes) else {
            throw MalformedBytes(what: "an impossible number of bytes")
        }
        content.bootIdentity = try reader.text()
        content.partialPath = try reader.path()
        content.finalPath = try reader.path()
        content.storageKey = try reader.optionalText()
        content.createdAt = try reader.number()
        guard reader.isAtEnd else { throw MalformedBytes(what: "bytes after the end") }
        return content
    }
}

extension ByteReader {
    fileprivate mutating func url() throws(MalformedBytes) -> URL {
        let text = try text()
        let parsed: (url: URL, credentials: Credentials?)
        do throws(DownloadError) {
            parsed = try SourceURL.parse(text)
        } catch {
            throw MalformedBytes(what: error.message)
        }
        guard parsed.credentials == nil, parsed.url.absoluteString == text else {
            throw MalformedBytes(what: "the URL contains a user or a fragment")
        }
        return parsed.url
    }

    fileprivate mutating func fields() throws(MalformedBytes) -> [HTTPField] {
        var fields: [HTTPField] = []
        for _ in 0..<(try count()) {
            let field = HTTPField(name: try text(), value: try text())
            guard !SecretField.isSecret(field.name) else {
                throw MalformedBytes(what: "they contain a secret")
            }
            fields.append(field)
        }
        return fields
    }

    fileprivate mutating func names() throws(MalformedBytes) -> [String] {
        var names: [String] = []
        for _ in 0..<(try count()) { names.append(try text()) }
        return names
    }

    private mutating func count() throws(MalformedBytes) -> Int {
        let count = Int(clamping: try number(UInt32.self))
        guard count <= 1000 else { throw MalformedBytes(what: "too many fields") }
        return count
    }

    fileprivate mutating func path() throws(MalformedBytes) -> [UInt8] {
        let path = Array(try lengthAndBytes())
        guard !path.contains(0) else { throw MalformedBytes(what: "a path is not valid") }
        return path
    }
}
