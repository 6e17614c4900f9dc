/// The names of months in dates of protocols: in English, with three letters.
package enum MonthName {
    /// The names, from January on.
    package static let all = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    private static let lowercased = all.map { $0.lowercased() }

    /// Returns the number of the month with this name in any case, from 1; `nil` if there is none.
    package static func number(_ name: some StringProtocol) -> Int64? {
        lowercased.firstIndex(of: name.lowercased()).map { Int64($0) + 1 }
    }
}
