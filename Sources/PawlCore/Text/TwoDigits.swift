extension BinaryInteger {
    /// The number with at least two digits, as clocks and dates show it.
    package var twoDigits: String { 0..<10 ~= self ? "0\(self)" : "\(self)" }
}
