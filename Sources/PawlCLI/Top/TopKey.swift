/// A key that a user has pressed.
package enum TopKey: Hashable, Sendable {
    case character(Character)
    case up, down, pageUp, pageDown, home, end
    case delete, backspace, enter, escape

    /// Reads keys from the bytes that a terminal sends; unknown sequences are left out.
    package static func keys(_ bytes: [UInt8]) -> [TopKey] {
        var (keys, rest) = ([TopKey](), bytes[...])
        while let first = rest.first {
            if first == 0x1B, let (key, length) = sequence(rest.dropFirst()) {
                if let key { keys.append(key) }
                rest = rest.dropFirst(1 + length)
            } else if first < 0x20 || first == 0x7F {
                if let key = control(first) { keys.append(key) }
                rest = rest.dropFirst()
            } else {
                let length = characterLength(first)
                let text = String(decoding: rest.prefix(length), as: UTF8.self)
                keys += text.map { .character($0) }
                rest = rest.dropFirst(length)
            }
        }
        return keys
    }

    private static func control(_ byte: UInt8) -> TopKey? {
        switch byte {
        case 0x0A, 0x0D: .enter
        case 0x08, 0x7F: .backspace
        case 0x1B: .escape
        default: nil
        }
    }

    /// The number of bytes of a character in UTF-8.
    private static func characterLength(_ first: UInt8) -> Int {
        first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF8 ? 4 : 1
    }

    /// Reads what follows Escape (ECMA-48); `nil` if it is not a sequence.
    private static func sequence(_ bytes: ArraySlice<UInt8>) -> (TopKey?, Int)? {
        guard let kind = bytes.first, kind == UInt8(ascii: "[") || kind == UInt8(ascii: "O") else {
            return nil
        }
        let parameters = bytes.dropFirst().prefix { (0x20..<0x40).contains($0) }
        guard let final = bytes.dropFirst(1 + parameters.count).first else { return nil }
        let length = 2 + parameters.count
        switch (Character(Unicode.Scalar(final)), String(decoding: parameters, as: UTF8.self)) {
        case ("A", _): return (.up, length)
        case ("B", _): return (.down, length)
        case ("H", _), ("~", "1"), ("~", "7"): return (.home, length)
        case ("F", _), ("~", "4"), ("~", "8"): return (.end, length)
        case ("~", "3"): return (.delete, length)
        case ("~", "5"): return (.pageUp, length)
        case ("~", "6"): return (.pageDown, length)
        default: return (nil, length)
        }
    }
}
