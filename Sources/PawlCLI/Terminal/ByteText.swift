/// Formats sizes and rates with three digits, in units of 1024.
package enum ByteText {
    private static let units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]

    /// `629 MiB`, `1.93 GiB`, `17 B`: at most 8 columns.
    package static func size(_ bytes: Int64) -> String {
        let scale = Scale(Double(max(0, bytes)))
        return "\(scale.number) \(units[scale.unit])"
    }

    /// `276/629 MiB`: at most 13 columns.
    package static func part(_ bytes: Int64, of total: Int64) -> String {
        let scale = Scale(Double(max(0, total)))
        let part = scale.format(Double(min(max(0, bytes), max(0, total))))
        return "\(part)/\(scale.number) \(units[scale.unit])"
    }

    /// `24.1 MiB/s`: at most 10 columns.
    package static func rate(_ bytesPerSecond: Double) -> String {
        let sane = bytesPerSecond.isFinite ? min(max(0, bytesPerSecond), 0x1p62) : 0
        let scale = Scale(sane)
        return "\(scale.number) \(units[scale.unit])/s"
    }

    /// The unit and the number of decimals that show a value with three digits.
    private struct Scale {
        var unit = 0
        private var divisor = 1.0
        private var decimals = 0
        private let value: Double

        init(_ value: Double) {
            self.value = value
            while value / divisor >= 999.5, unit < units.count - 1 {
                unit += 1
                divisor *= 1024
            }
            let scaled = value / divisor
            if unit > 0 { decimals = scaled < 9.995 ? 2 : scaled < 99.95 ? 1 : 0 }
        }

        var number: String { format(value) }

        func format(_ value: Double) -> String {
            fixed(value / divisor, decimals: decimals)
        }
    }
}

/// Formats a number with up to two decimals.
///
/// Foundation's formatters would slow down the start.
func fixed(_ value: Double, decimals: Int) -> String {
    let factor = decimals == 0 ? 1 : decimals == 1 ? 10 : 100
    let scaled = Int64((value * Double(factor)).rounded())
    guard decimals > 0 else { return String(scaled) }
    let rest = String(scaled % Int64(factor))
    return "\(scaled / Int64(factor))."
        + String(repeating: "0", count: decimals - rest.count) + rest
}
