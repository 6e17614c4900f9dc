package import PawlCore

/// Parses and formats the interval in which a feed is checked.
package enum FeedInterval {
    private static let units: [(letter: Character, seconds: Int)] = [
        ("d", 86_400), ("h", 3600), ("m", 60),
    ]

    /// Returns the seconds of a text such as `30m`, `6h` or `1d`; 0 for `never`.
    package static func seconds(_ text: String) throws(ValueError) -> Int {
        guard text != "never" else { return 0 }
        guard let unit = units.first(where: { $0.letter == text.last }),
            let number = Int(text.dropLast()), (1...100_000).contains(number)
        else {
            throw ValueError(
                "'\(text.sanitized(atMost: 40))' is not an interval",
                advice: "write 30m, 6h, 1d or never"
            )
        }
        return number * unit.seconds
    }

    /// Returns the text of an interval.
    package static func text(_ seconds: Int) -> String {
        guard seconds > 0 else { return "never" }
        let unit = units.first { seconds.isMultiple(of: $0.seconds) }
        return unit.map { "\(seconds / $0.seconds)\($0.letter)" } ?? "\(seconds)s"
    }
}
