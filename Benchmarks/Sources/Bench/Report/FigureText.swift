/// Formats figures for people.
enum FigureText {
    static func seconds(_ value: Double) -> String {
        value < 0.1 ? decimal(value * 1000, 1) + " ms" : decimal(value, value < 10 ? 2 : 1) + " s"
    }

    static func bytes(_ value: Double) -> String { decimal(value / 1_048_576, 1) + " MiB" }

    static func ratio(_ value: Double) -> String { decimal(value, 2) }

    static func goal(_ value: Double, _ unit: Goal.Unit) -> String {
        switch unit {
        case .times: decimal(value, 2) + " ×"
        case .milliseconds: decimal(value, 1) + " ms"
        case .mebibytes: decimal(value, 1) + " MiB"
        case .count: decimal(value, 0)
        }
    }

    /// Rounds to the given number of digits after the point.
    static func decimal(_ value: Double, _ digits: Int) -> String {
        let scale = [1.0, 10, 100, 1000][min(max(digits, 0), 3)]
        let rounded = (value * scale).rounded()
        guard rounded.isFinite, abs(rounded) < 1e15 else { return "-" }
        let whole = Int(abs(rounded))
        let sign = rounded < 0 ? "-" : ""
        guard digits > 0 else { return sign + "\(whole)" }
        let fraction = String(whole % Int(scale))
        let zeros = String(repeating: "0", count: digits - fraction.count)
        return sign + "\(whole / Int(scale)).\(zeros)\(fraction)"
    }
}
