internal import PawlCore

/// Checks that a body is JSON as RFC 8259 defines it, before it is decoded.
///
/// The decoder is less strict: it also accepts UTF-16, a comma at the end of a list, and members
/// that are given twice, and it does not limit the nesting.
package struct JSONCheck {
    package enum Fault: Error, Hashable {
        case notJSON, tooDeep
        /// A member that is given twice.
        case repeated(String)
        /// A string with U+0000, where SQLite and the kernel would end it.
        case nul
    }

    package static let mostLevels = 32

    private let bytes: [UInt8]
    private var position = 0

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    package static func check(_ bytes: some Sequence<UInt8>) throws(Fault) {
        var check = JSONCheck(Array(bytes))
        guard String(validating: check.bytes, as: UTF8.self) != nil else { throw .notJSON }
        try check.value(within: 0)
        check.skipSpace()
        guard check.position == check.bytes.count else { throw .notJSON }
    }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let next, next == 0x20 || (0x09...0x0A).contains(next) || next == 0x0D {
            position += 1
        }
    }

    private mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: scalar) else { return false }
        position += 1
        return true
    }

    private mutating func expect(_ text: String) throws(Fault) {
        for scalar in text.unicodeScalars where !skip(scalar) { throw .notJSON }
    }

    // MARK: - Values

    private mutating func value(within levels: Int) throws(Fault) {
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): try object(levels + 1)
        case UInt8(ascii: "["): try list(levels + 1)
        case UInt8(ascii: "\""): _ = try text()
        case UInt8(ascii: "t"): try expect("true")
        case UInt8(ascii: "f"): try expect("false")
        case UInt8(ascii: "n"): try expect("null")
        default: try number()
        }
        skipSpace()
    }

    private mutating func object(_ level: Int) throws(Fault) {
        try open(level)
        guard !skip("}") else { return }
        var names: Set<[UInt8]> = []
        repeat {
            skipSpace()
            let name = try text()
            guard names.insert(name).inserted else {
                throw .repeated(String(decoding: name, as: UTF8.self))
            }
            skipSpace()
            try expect(":")
            try value(within: level)
        } while skip(",")
        try expect("}")
    }

    private mutating func list(_ level: Int) throws(Fault) {
        try open(level)
        guard !skip("]") else { return }
        repeat { try value(within: level) } while skip(",")
        try expect("]")
    }

    private mutating func open(_ level: Int) throws(Fault) {
        guard level <= Self.mostLevels else { throw .tooDeep }
        position += 1
        skipSpace()
    }

    private mutating func number() throws(Fault) {
        _ = skip("-")
        if !skip("0") { try digits() }
        if skip(".") { try digits() }
        if skip("e") || skip("E") {
            _ = skip("+") || skip("-")
            try digits()
        }
    }

    private mutating func digits() throws(Fault) {
        guard next?.isDigit == true else { throw .notJSON }
        while next?.isDigit == true { position += 1 }
    }

    // MARK: - Strings

    /// Reads a string; returns the text that it stands for.
    private mutating func text() throws(Fault) -> [UInt8] {
        try expect("\"")
        var text: [UInt8] = []
        while let byte = next, byte >= 0x20 {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return text
            case UInt8(ascii: "\\"): text += try escaped()
            default: text.append(byte)
            }
        }
        throw .notJSON
    }

    private mutating func escaped() throws(Fault) -> [UInt8] {
        guard let letter = next else { throw .notJSON }
        position += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [letter]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "u"): return try scalar()
        default: throw .notJSON
        }
    }

    /// Reads the digits of one scalar, which are two groups if it is outside the first plane.
    private mutating func scalar() throws(Fault) -> [UInt8] {
        var units = [try unit()]
        if UTF16.isLeadSurrogate(units[0]) {
            try expect("\\u")
            units.append(try unit())
        }
        guard let text = String(validating: units, as: UTF16.self) else { throw .notJSON }
        guard units != [0] else { throw .nul }
        return Array(text.utf8)
    }

    private mutating func unit() throws(Fault) -> UInt16 {
        let digits = String(decoding: bytes.dropFirst(position).prefix(4), as: UTF8.self)
        // The initializer would accept a sign.
        guard digits.utf8.count == 4, digits.allSatisfy(\.isHexDigit),
            let unit = UInt16(digits, radix: 16)
        else { throw .notJSON }
        position += 4
        return unit
    }
}
