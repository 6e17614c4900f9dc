internal import FoundationEssentials

/// Reads Apple's XML property lists as Apple's programs write them: without CDATA, and without
/// attributes except those of `plist`.
///
/// `PropertyListDecoder` of FoundationEssentials ends the program on some damaged lists, and cannot
/// read the references of keyed archives.
struct XMLPropertyList {
    private static let deepest = 64

    private var rest: ArraySlice<UInt8>

    static func read(_ bytes: [UInt8]) throws(MalformedBytes) -> PropertyList {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        var reader = XMLPropertyList(
            rest: bytes.dropFirst(bytes.starts(with: mark) ? mark.count : 0)
        )
        let root = try reader.tag()
        guard root.name == "plist", root.kind == .opening else {
            throw MalformedBytes(what: "it is not a property list")
        }
        let value = try reader.value(try reader.tag(), depth: 0)
        try reader.close("plist")
        guard reader.isAtEnd else { throw MalformedBytes(what: "bytes after the end") }
        return value
    }

    private var isAtEnd: Bool { rest.allSatisfy(\.isXMLSpace) }

    // MARK: - Values

    private mutating func value(
        _ tag: Tag,
        depth: Int
    ) throws(MalformedBytes) -> PropertyList {
        guard depth < Self.deepest else { throw MalformedBytes(what: "too deep") }
        switch (tag.name, tag.kind) {
        case (_, .closing): throw MalformedBytes(what: "a closing tag without an opening tag")
        case ("dict", .opening): return try dictionary(depth: depth)
        case ("array", .opening): return try array(depth: depth)
        case ("dict", .empty): return .dictionary([:])
        case ("array", .empty): return .array([])
        case ("true", _), ("false", _):
            if tag.kind == .opening { try close(tag.name) }
            return .boolean(tag.name == "true")
        default: return try leaf(tag.name, try text(tag))
        }
    }

    private mutating func array(depth: Int) throws(MalformedBytes) -> PropertyList {
        var values: [PropertyList] = []
        while true {
            let tag = try tag()
            if tag.name == "array", tag.kind == .closing { return .array(values) }
            values.append(try value(tag, depth: depth + 1))
        }
    }

    private mutating func dictionary(depth: Int) throws(MalformedBytes) -> PropertyList {
        var values: [String: PropertyList] = [:]
        while true {
            let tag = try tag()
            if tag.name == "dict", tag.kind == .closing { break }
            guard tag.name == "key", tag.kind != .closing else {
                throw MalformedBytes(what: "a value without a key")
            }
            let key = try text(tag)
            values[key] = try value(try self.tag(), depth: depth + 1)
        }
        // This is how references of keyed archives are written in XML.
        if values.count == 1, case .integer(let index) = values["CF$UID"] {
            return .reference(Int(clamping: index))
        }
        return .dictionary(values)
    }

    private func leaf(_ name: String, _ text: String) throws(MalformedBytes) -> PropertyList {
        let value: PropertyList? =
            switch name {
            case "string": .text(text)
            case "integer": Int64(text.trimmed).map(PropertyList.integer)
            case "real": Double(text.trimmed).map(PropertyList.real)
            case "date": Self.date(text.trimmed).map(PropertyList.date)
            case "data":
                [UInt8](
                    base64: String(decoding: text.utf8.filter { !$0.isXMLSpace }, as: UTF8.self)
                )
                .map(PropertyList.data)
            default: nil
            }
        guard let value else { throw MalformedBytes(what: "a value is not valid") }
        return value
    }

    /// Parses `2001-01-01T00:00:00Z`; returns the seconds since that time.
    private static func date(_ text: String) -> Double? {
        // Any other text is not a date.
        (try? Date(text, strategy: .iso8601))?.timeIntervalSinceReferenceDate
    }

    // MARK: - Tags

    private struct Tag {
        enum Kind { case opening, closing, empty }

        var name: String
        var kind: Kind
    }

    /// Reads the next tag.
    ///
    /// Between values there may be white space, comments, and the prolog.
    private mutating func tag() throws(MalformedBytes) -> Tag {
        while true {
            rest = rest.drop(while: \.isXMLSpace)
            guard rest.first == UInt8(ascii: "<") else {
                throw MalformedBytes(what: "text in place of a tag")
            }
            rest = rest.dropFirst()
            if rest.starts(with: Array("!--".utf8)) {
                try skip(to: "-->")
            } else if rest.first == UInt8(ascii: "?") {
                try skip(to: "?>")
            } else if rest.starts(with: Array("!DOCTYPE".utf8)) {
                try skip(to: ">")
            } else {
                return try named()
            }
        }
    }

    private mutating func skip(to end: String) throws(MalformedBytes) {
        let end = Array(end.utf8)
        while !rest.starts(with: end) {
            guard !rest.isEmpty else { throw MalformedBytes(what: "cut short") }
            rest = rest.dropFirst()
        }
        rest = rest.dropFirst(end.count)
    }

    private mutating func named() throws(MalformedBytes) -> Tag {
        guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else {
            throw MalformedBytes(what: "cut short")
        }
        var inner = rest[..<end]
        rest = rest[end...].dropFirst()
        var kind = Tag.Kind.opening
        if inner.first == UInt8(ascii: "/") {
            inner = inner.dropFirst()
            kind = .closing
        } else if inner.last == UInt8(ascii: "/") {
            inner = inner.dropLast()
            kind = .empty
        }
        let name = inner.prefix { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
        let text = String(decoding: name, as: UTF8.self)
        guard text == "plist" || inner[name.endIndex...].allSatisfy(\.isXMLSpace) else {
            throw MalformedBytes(what: "a tag is not valid")
        }
        return Tag(name: text, kind: kind)
    }

    private mutating func close(_ name: String) throws(MalformedBytes) {
        let tag = try tag()
        guard tag.name == name, tag.kind == .closing else {
            throw MalformedBytes(what: "\(name) is not closed")
        }
    }

    /// Reads the text between a tag and its closing tag.
    private mutating func text(_ tag: Tag) throws(MalformedBytes) -> String {
        guard tag.kind == .opening else { return "" }
        let raw = rest.prefix { $0 != UInt8(ascii: "<") }
        rest = rest[raw.endIndex...]
        try close(tag.name)
        guard let text = String(validating: raw, as: UTF8.self) else {
            throw MalformedBytes(what: "a text is not UTF-8")
        }
        return text.contains("&") ? try Self.resolved(text) : text
    }

    private static func resolved(_ text: String) throws(MalformedBytes) -> String {
        let parts = text.split(separator: "&", omittingEmptySubsequences: false)
        var resolved = String(parts.first ?? "")
        for part in parts.dropFirst() {
            guard let end = part.firstIndex(of: ";"), let scalar = scalar(part[..<end]) else {
                throw MalformedBytes(what: "an invalid character reference")
            }
            resolved.unicodeScalars.append(scalar)
            resolved += part[part.index(after: end)...]
        }
        return resolved
    }

    private static func scalar(_ name: Substring) -> Unicode.Scalar? {
        switch name {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default: break
        }
        guard name.hasPrefix("#") else { return nil }
        let isHexadecimal = name.hasPrefix("#x")
        let digits = name.dropFirst(isHexadecimal ? 2 : 1)
        return UInt32(digits, radix: isHexadecimal ? 16 : 10).flatMap(Unicode.Scalar.init)
    }
}

extension UInt8 {
    fileprivate var isXMLSpace: Bool {
        self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D
    }
}
