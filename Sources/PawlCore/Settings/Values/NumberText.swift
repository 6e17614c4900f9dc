/// Reads numbers that users write: rates, seconds and counts.
package enum NumberText {
    /// Returns a rate in bytes per second: `4096`, `500K`, `1.5M`, `1G`; K is 1024.
    package static func rate(_ text: String) throws(ValueError) -> Int64 {
        let units: [Character: Double] = ["k": 0x1p10, "m": 0x1p20, "g": 0x1p30, "t": 0x1p40]
        var digits = text[...]
        var unit = 1.0
        if let last = text.lowercased().last, let factor = units[last] {
            unit = factor
            digits = text.dropLast()
        }
        guard let number = decimal(digits), number == 0 || number * unit >= 1,
            number * unit < 0x1p62
        else {
            throw ValueError(
                "'\(text)' is not a rate",
                advice: "use bytes per second, such as 500K, 1.5M or 10M, where K is 1024"
            )
        }
        return Int64(number * unit)
    }

    /// Returns a rate, or `nil` for `off` and 0.
    package static func limit(_ text: String) throws(ValueError) -> Int64? {
        switch text.lowercased() {
        case "off", "unlimited", "none": return nil
        default: break
        }
        do {
            let limit = try rate(text)
            return limit > 0 ? limit : nil
        } catch {
            throw ValueError(error.reason, advice: error.advice + ", or off")
        }
    }

    /// Returns a time in seconds, above 0.
    package static func seconds(_ text: String) throws(ValueError) -> Duration {
        guard let number = decimal(text[...]), number >= 0.001, number <= 1e9 else {
            throw ValueError(
                "'\(text)' is not a time",
                advice: "use seconds above 0, such as 30 or 0.5"
            )
        }
        return .milliseconds(Int64((number * 1000).rounded()))
    }

    package static func connections(_ text: String) throws(ValueError) -> ConnectionCount {
        if text.lowercased() == "auto" { return .automatic }
        guard let number = whole(text), (1...64).contains(number) else {
            throw ValueError(
                "'\(text)' is not a number of connections",
                advice: "use 1 to 64, or auto"
            )
        }
        return .fixed(number)
    }

    package static func count(
        _ text: String,
        in range: ClosedRange<Int>
    ) throws(ValueError) -> Int {
        guard let number = whole(text), range.contains(number) else {
            throw ValueError(
                "'\(text)' is not a number from \(range.lowerBound) to \(range.upperBound)",
                advice: "use a whole number in that range"
            )
        }
        return number
    }

    package static func truth(_ text: String) throws(ValueError) -> Bool {
        switch text.lowercased() {
        case "true", "yes", "on", "1": return true
        case "false", "no", "off", "0": return false
        default: throw ValueError("'\(text)' is not true or false", advice: "write true or false")
        }
    }

    private static func whole(_ text: String) -> Int? {
        text.isAllDigits ? Int(text) : nil
    }

    /// Reads digits with a decimal point; `Double` alone would also accept `1e9`, `inf` and `0x10`.
    private static func decimal(_ text: Substring) -> Double? {
        let bytes = text.utf8
        guard bytes.allSatisfy({ $0.isDigit || $0 == UInt8(ascii: ".") }),
            bytes.first?.isDigit == true
        else { return nil }
        return Double(text)
    }
}
