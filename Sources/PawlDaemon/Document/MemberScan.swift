internal import PawlWire

/// Searches a JSON text for unknown members.
///
/// The text was decoded before, so it is valid, and nested no deeper than `JSONNesting.most`.
package struct MemberScan {
    /// An unknown member, and the known ones.
    package struct Stranger {
        /// The path from the outermost object.
        package var path: [String]
        package var known: [String]
    }

    private let bytes: [UInt8]
    private var at = 0

    package static func stranger(in bytes: some Sequence<UInt8>, _ form: BodyForm) -> Stranger? {
        var scan = MemberScan(bytes: Array(bytes))
        return scan.value(form)
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private var current: UInt8? { at < bytes.count ? bytes[at] : nil }

    private mutating func skipSpace() {
        while let byte = current, byte == 0x20 || (0x09...0x0D).contains(byte) { at += 1 }
    }

    private mutating func value(_ form: BodyForm) -> Stranger? {
        skipSpace()
        switch current {
        case UInt8(ascii: "{"): return members(form)
        case UInt8(ascii: "["): return items(form)
        case UInt8(ascii: "\""): skipText()
        default: skipWord()
        }
        return nil
    }

    private mutating func members(_ form: BodyForm) -> Stranger? {
        at += 1
        while let byte = current, byte != UInt8(ascii: "}") {
            guard byte == UInt8(ascii: "\"") else {
                at += 1
                continue
            }
            let name = text()
            // The colon.
            while let byte = current, byte != UInt8(ascii: ":") { at += 1 }
            at += 1
            var inner = BodyForm.any
            if case .object(let known) = form {
                guard let own = known[name] else {
                    return Stranger(path: [name], known: known.keys.sorted())
                }
                inner = own
            }
            if var stranger = value(inner) {
                stranger.path.insert(name, at: 0)
                return stranger
            }
        }
        at += 1
        return nil
    }

    private mutating func items(_ form: BodyForm) -> Stranger? {
        var inner = BodyForm.any
        if case .list(let item) = form { inner = item }
        at += 1
        var number = 1
        while true {
            skipSpace()
            guard let byte = current, byte != UInt8(ascii: "]") else { break }
            if byte == UInt8(ascii: ",") {
                at += 1
                number += 1
            } else if var stranger = value(inner) {
                stranger.path.insert("\(number)", at: 0)
                return stranger
            }
        }
        at += 1
        return nil
    }

    private mutating func text() -> String {
        let start = at
        skipText()
        let quoted = bytes[start..<at]
        guard quoted.contains(UInt8(ascii: "\\")) else {
            return String(decoding: quoted.dropFirst().dropLast(), as: UTF8.self)
        }
        // A key that is not text was refused before.
        return (try? WireJSON.decode(String.self, from: quoted)) ?? ""
    }

    /// Moves to the position after the closing quote.
    private mutating func skipText() {
        at += 1
        while let byte = current, byte != UInt8(ascii: "\"") {
            at += byte == UInt8(ascii: "\\") ? 2 : 1
        }
        at = min(at + 1, bytes.count)
    }

    /// Skips a number or one of the three words, at least one byte.
    private mutating func skipWord() {
        repeat { at += 1 } while current.map { !Self.ends.contains($0) } == true
    }

    private static let ends = Set(",]} \t\r\n".utf8)
}
