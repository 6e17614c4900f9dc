package import PawlCore

/// Writes a value as JSON (RFC 8259).
///
/// `JSONEncoder` needs many times as long for long lists.
package enum JSONWriter {
    package static func bytes(_ value: JSONValue) -> [UInt8] {
        var bytes: [UInt8] = []
        write(value, to: &bytes)
        return bytes
    }

    /// Returns about the number of bytes of a value, to limit it.
    static func size(of value: JSONValue) -> Int {
        switch value {
        case .null, .truth, .number, .decimal: 16
        case .text(let text): 16 + text.utf8.count
        case .list(let values): values.reduce(16) { $0 + size(of: $1) }
        case .members(let members):
            members.reduce(16) { $0 + 16 + $1.name.utf8.count + size(of: $1.value) }
        }
    }

    private static func write(_ value: JSONValue, to bytes: inout [UInt8]) {
        switch value {
        case .null: bytes += "null".utf8
        case .truth(let truth): bytes += (truth ? "true" : "false").utf8
        case .number(let number): bytes += "\(number)".utf8
        // JSON has neither infinity nor NaN.
        case .decimal(let number): bytes += (number.isFinite ? "\(number)" : "null").utf8
        case .text(let text): write(text, to: &bytes)
        case .list(let values):
            bytes.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                write(value, to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .members(let members):
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                write(member.name, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                write(member.value, to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    private static func write(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        if text.utf8.contains(where: isSpecial) {
            for byte in text.utf8 { write(byte, to: &bytes) }
        } else {
            bytes += text.utf8
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func isSpecial(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    /// Writes a byte of a text.
    private static func write(_ byte: UInt8, to bytes: inout [UInt8]) {
        switch byte {
        case 0..<0x20: bytes += "\\u00\(byte.hexadecimal)".utf8
        case _ where isSpecial(byte): bytes += [UInt8(ascii: "\\"), byte]
        default: bytes.append(byte)
        }
    }
}
