import PawlCore

/// The XML documents of a bucket's answers.
enum BucketDocument {
    /// The answer with a document; `isNamed`: whether it has the namespace of S3.
    static func plan(
        _ root: String,
        _ content: String,
        status: Int = 200,
        isNamed: Bool = true
    ) -> ResponsePlan {
        let name = isNamed ? " xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"" : ""
        let text =
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<\(root)\(name)>\(content)</\(root)>"
        return ResponsePlan(
            status: status,
            fields: [HTTPField(name: "Content-Type", value: "application/xml")],
            body: [.bytes(Array(text.utf8))]
        )
    }

    /// An element with a text.
    static func element(_ name: String, _ text: String) -> String {
        var escaped = ""
        for character in text.unicodeScalars {
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            default: escaped.unicodeScalars.append(character)
            }
        }
        return "<\(name)>\(escaped)</\(name)>"
    }

    /// An element with others in it.
    static func group(_ name: String, _ elements: [String]) -> String {
        "<\(name)>\(elements.joined())</\(name)>"
    }

    /// A time in seconds since 1970, as documents contain it.
    static func time(_ seconds: Int64) -> String {
        let (days, second) = seconds.flooredDivision(by: 86_400)
        let date = CalendarDay(daysSince1970: days)
        let clock = [second / 3600, second / 60 % 60, second % 60].map(\.twoDigits)
        return "\(date.year)-\(date.month.twoDigits)-\(date.day.twoDigits)"
            + "T\(clock.joined(separator: ":")).000Z"
    }
}
