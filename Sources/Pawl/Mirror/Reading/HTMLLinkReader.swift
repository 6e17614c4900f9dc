internal import PawlCore

/// A link of an HTML page.
package struct HTMLLink: Hashable, Sendable {
    /// The value of `href`, in which character references are replaced and bytes that are not
    /// ASCII are percent-encoded.
    package var address: String
    /// The text between this link and the next one: in the list of a folder, the file's size and
    /// time.
    package var note: String

    package init(address: String, note: String) {
        (self.address, self.note) = (address, note)
    }
}

/// Reads the links of an HTML page piece by piece, with the little memory that one tag needs.
///
/// It follows the tokens of HTML (HTML Living Standard §13.2.5) as far as links are concerned, and
/// accepts every text, as browsers do.
package struct HTMLLinkReader: Sendable {
    /// The maximum length of a tag, in bytes; longer ones are left out.
    private static let longestTag = 64 << 10
    /// The maximum length of a note, in bytes.
    private static let longestNote = 200

    private enum State {
        case text
        /// After `<`.
        case tag
        /// After the `!` of `<!`: a comment, if two hyphens follow.
        case declaration
        case comment
        /// The text of an element that contains no other, such as a script.
        case raw
    }

    private var state = State.text
    /// The bytes of the tag.
    private var token: [UInt8] = []
    /// The number of bytes of the end of a comment, or of an element, that have been read.
    private var matched = 0
    /// The quotation mark that ends the value of an attribute.
    private var quote: UInt8?
    /// The last byte of the tag that is not a space.
    private var lastByte: UInt8 = 0
    private var isTagTooLong = false
    /// The beginning of the tag that ends the text that is passed over, such as `</script`.
    private var rawEnd: [UInt8] = []
    private var open: HTMLLink?
    /// Whether the text belongs to the link itself.
    private var isInside = false
    private var note: [UInt8] = []
    /// The URL in the page's `base` element.
    package private(set) var base: String?

    package init() {}

    /// Reads more of the page, and passes on each link whose note is complete.
    package mutating func read(_ bytes: [UInt8], _ take: (HTMLLink) -> Void) {
        for byte in bytes { read(byte, take) }
    }

    /// Ends the page; returns `false` if it ends within a tag, a comment, a script or a link.
    @discardableResult
    package mutating func finish(_ take: (HTMLLink) -> Void) -> Bool {
        let isComplete = state == .text && !isInside
        close(take)
        return isComplete
    }

    private mutating func read(_ byte: UInt8, _ take: (HTMLLink) -> Void) {
        switch state {
        case .text:
            guard byte == UInt8(ascii: "<") else { return addToNote(byte) }
            begin()
        case .tag: readTag(byte, take)
        case .declaration:
            token.append(byte)
            if byte == UInt8(ascii: ">") {
                state = .text
            } else if token.count == 2 {
                state = token == Array("--".utf8) ? .comment : .tag
                // The hyphens may be those of the end, too: `<!-->`.
                (token, matched) = ([UInt8(ascii: "!")], 2)
            }
        case .comment:
            if byte == UInt8(ascii: "-") {
                matched += 1
            } else if byte == UInt8(ascii: ">"), matched >= 2 {
                state = .text
            } else if byte != UInt8(ascii: "!") || matched < 2 {
                // `--!>` is an end, too.
                matched = 0
            }
        case .raw:
            guard byte.lowercasedASCII == rawEnd[matched] else {
                return matched = byte == rawEnd[0] ? 1 : 0
            }
            matched += 1
            guard matched == rawEnd.count else { return }
            begin()
            token = Array(rawEnd.dropFirst())
        }
    }

    private mutating func begin() {
        state = .tag
        token = []
        (quote, lastByte, isTagTooLong) = (nil, 0, false)
    }

    private mutating func readTag(_ byte: UInt8, _ take: (HTMLLink) -> Void) {
        if let quote {
            if byte == quote { self.quote = nil }
        } else if byte == UInt8(ascii: ">") {
            state = .text
            if !isTagTooLong { readTag(token, take) }
            return
        } else if lastByte == UInt8(ascii: "="),
            byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'")
        {
            quote = byte
        } else if token.isEmpty, !byte.isLetter, byte != UInt8(ascii: "/") {
            // It is text, unless it is a comment or a declaration.
            state = byte == UInt8(ascii: "!") ? .declaration : .text
            return
        }
        if !byte.isHTMLSpace { lastByte = byte }
        if token.count < Self.longestTag { token.append(byte) } else { isTagTooLong = true }
    }

    private mutating func readTag(_ bytes: [UInt8], _ take: (HTMLLink) -> Void) {
        let tag = HTMLTag(bytes)
        switch tag.name {
        case "a":
            close(take)
            guard let address = tag["href"] else { return }
            open = HTMLLink(address: address, note: "")
            isInside = true
        case "/a": isInside = false
        case "base": base = base ?? tag["href"]
        case "time":
            for byte in (tag["datetime"] ?? "").utf8 { addToNote(byte) }
        case "/tr", "/li", "/pre", "/table", "/ul", "hr": close(take)
        case "script", "style", "textarea", "title", "xmp":
            rawEnd = Array("</\(tag.name)".utf8)
            (state, matched) = (.raw, 0)
        default: break
        }
        addToNote(UInt8(ascii: " "))
    }

    private mutating func addToNote(_ byte: UInt8) {
        guard open != nil, !isInside, note.count < Self.longestNote else { return }
        guard !byte.isHTMLSpace else {
            if let last = note.last, last != UInt8(ascii: " ") { note.append(UInt8(ascii: " ")) }
            return
        }
        note.append(byte)
    }

    private mutating func close(_ take: (HTMLLink) -> Void) {
        if var link = open {
            if note.last == UInt8(ascii: " ") { note.removeLast() }
            link.note = String(decoding: note, as: UTF8.self)
            take(link)
        }
        (open, isInside) = (nil, false)
        note.removeAll(keepingCapacity: true)
    }
}

/// A tag of HTML: its name in lowercase, with a slash for an end tag, and its attributes.
private struct HTMLTag {
    let name: String
    private let attributes: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) {
        let slash = bytes.prefix { $0 == UInt8(ascii: "/") }
        let name = bytes.dropFirst(slash.count).prefix {
            !$0.isHTMLSpace && $0 != UInt8(ascii: "/")
        }
        self.name = String(decoding: slash + name, as: UTF8.self).lowercased()
        attributes = bytes.dropFirst(slash.count + name.count)
    }

    /// The value of the first attribute with a name.
    subscript(_ wanted: String) -> String? {
        var rest = attributes
        while true {
            rest = rest.drop { $0.isHTMLSpace || $0 == UInt8(ascii: "/") }
            guard !rest.isEmpty else { return nil }
            let name = rest.prefix { !$0.isHTMLSpace && $0 != UInt8(ascii: "=") }
            // An equals sign without a name.
            guard !name.isEmpty else {
                rest = rest.dropFirst()
                continue
            }
            rest = rest.dropFirst(name.count).drop(while: \.isHTMLSpace)
            guard rest.first == UInt8(ascii: "=") else {
                if name.isName(wanted) { return "" }
                continue
            }
            rest = rest.dropFirst().drop(while: \.isHTMLSpace)
            let value: ArraySlice<UInt8>
            if let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
                value = rest.dropFirst().prefix { $0 != quote }
                rest = rest.dropFirst(value.count + 2)
            } else {
                value = rest.prefix { !$0.isHTMLSpace }
                rest = rest.dropFirst(value.count)
            }
            if name.isName(wanted) { return CharacterReferences.replaced(in: value) }
        }
    }
}

extension ArraySlice<UInt8> {
    fileprivate func isName(_ name: String) -> Bool {
        count == name.utf8.count && zip(self, name.utf8).allSatisfy { $0.lowercasedASCII == $1 }
    }
}

extension UInt8 {
    fileprivate var isHTMLSpace: Bool { self == 0x20 || 0x09...0x0D ~= self }
}
