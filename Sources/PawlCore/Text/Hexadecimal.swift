extension FixedWidthInteger where Self: UnsignedInteger {
    /// All digits in base 16, with leading zeros.
    @inlinable package var hexadecimal: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: Self.bitWidth / 4 - digits.count) + digits
    }
}

extension [UInt8] {
    /// Two digits in base 16 per byte.
    package var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(2 * count)
        for byte in self {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Creates the bytes that digits in base 16 stand for; returns `nil` if the text contains another
    /// character, or an odd number of digits.
    init?(hexadecimal text: String) {
        let digits = Array(text.utf8)
        guard digits.count.isMultiple(of: 2) else { return nil }
        self = []
        reserveCapacity(digits.count / 2)
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let byte = digits.hexadecimalByte(at: index) else { return nil }
            append(byte)
        }
    }

    /// Returns the byte that the two digits at an index stand for; `nil` if one of them is missing.
    func hexadecimalByte(at index: Int) -> UInt8? {
        guard index + 1 < count, let high = self[index].hexadecimalValue,
            let low = self[index + 1].hexadecimalValue
        else { return nil }
        return high << 4 | low
    }
}

extension UInt8 {
    /// The value of the digit in base 16 whose ASCII code this is.
    fileprivate var hexadecimalValue: UInt8? {
        if isDigit { return self - UInt8(ascii: "0") }
        let lower = self | 0x20
        guard isLetter, lower <= UInt8(ascii: "f") else { return nil }
        return lower - UInt8(ascii: "a") + 10
    }
}
