/// Decodes what `ByteWriter` has encoded.
///
/// It trusts no length in the data.
package struct ByteReader {
    private var rest: ArraySlice<UInt8>

    package init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    package var isAtEnd: Bool { rest.isEmpty }

    package mutating func take(_ count: Int) throws(MalformedBytes) -> ArraySlice<UInt8> {
        guard count >= 0, count <= rest.count else { throw MalformedBytes(what: "cut short") }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    package mutating func number<N: FixedWidthInteger>(
        _ type: N.Type = N.self
    ) throws(MalformedBytes) -> N {
        var value: N = 0
        for (position, byte) in try take(MemoryLayout<N>.size).enumerated() {
            value |= N(truncatingIfNeeded: byte) << N(truncatingIfNeeded: 8 * position)
        }
        return value
    }

    package mutating func flag() throws(MalformedBytes) -> Bool {
        switch try number(UInt8.self) {
        case 0: false
        case 1: true
        default: throw MalformedBytes(what: "a flag is neither 0 nor 1")
        }
    }

    package mutating func text() throws(MalformedBytes) -> String {
        let raw = try lengthAndBytes()
        guard let text = String(validating: raw, as: UTF8.self) else {
            throw MalformedBytes(what: "a text is not UTF-8")
        }
        return text
    }

    package mutating func lengthAndBytes() throws(MalformedBytes) -> ArraySlice<UInt8> {
        try take(Int(clamping: number(UInt32.self)))
    }
}
