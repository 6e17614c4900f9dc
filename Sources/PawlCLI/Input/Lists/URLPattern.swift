package import PawlCore

/// Expands `{a,b}` and `{1..100}` in a URL, as shells do.
///
/// Other braces stay as they are, such as those of JSON. A URL cannot contain them otherwise (RFC
/// 3986 §2).
package enum URLPattern {
    /// The maximum number of URLs of one pattern.
    static let most = 100_000
    /// The maximum number of braces within braces.
    private static let deepest = 8

    /// Returns the URLs in the order of the pattern.
    package static func expand(_ text: String) throws(DownloadError) -> [String] {
        guard text.contains("{"), !text.contains("\"") else { return [text] }
        return try expand(text, depth: 0)
    }

    /// Whether the path or the query contains what is a pattern in curl: `[1-10]` or `[a-z]`.
    static func hasBrackets(_ url: String) -> Bool {
        let parts = AddressParts(url)
        let text = (parts.path + (parts.query ?? "")).percentDecoded
        return text.contains(/\[[0-9A-Za-z]+-[0-9A-Za-z]+(:[0-9]+)?\]/)
    }

    /// Returns the URL in a form that is not a pattern.
    static func literal(_ url: String) -> String {
        let codes: [Character: String] = ["[": "%5B", "]": "%5D", "{": "%7B", "}": "%7D"]
        let host = AddressParts(url).host ?? ""
        guard let end = url.firstRange(of: host)?.upperBound else { return url }
        return url[..<end] + url[end...].map { codes[$0] ?? String($0) }.joined()
    }

    private static func expand(_ text: String, depth: Int) throws(DownloadError) -> [String] {
        guard depth <= deepest else {
            throw .usage(
                "'\(text.sanitized(atMost: 80))' has too many nested braces",
                advice: "use several URLs"
            )
        }
        var texts = [""]
        var rest = text[...]
        while let open = rest.firstIndex(of: "{") {
            var choices = ["{"]
            var next = rest.index(after: open)
            if let close = end(of: rest[open...]),
                let found = try alternatives(in: rest[next..<close], depth)
            {
                choices = found
                next = rest.index(after: close)
            }
            guard texts.count * choices.count <= most else {
                throw .usage(
                    "'\(text.sanitized(atMost: 80))' stands for more than \(most) URLs",
                    advice: "use a smaller range, or several commands"
                )
            }
            let literal = rest[..<open]
            texts = texts.flatMap { start in choices.map { "\(start)\(literal)\($0)" } }
            rest = rest[next...]
        }
        return texts.map { $0 + rest }
    }

    /// Returns the index of the brace that closes the first one.
    private static func end(of text: Substring) -> String.Index? {
        var depth = 0
        return text.indices.first { index in
            if text[index] == "{" { depth += 1 }
            if text[index] == "}" { depth -= 1 }
            return depth == 0
        }
    }

    private static func alternatives(
        in text: Substring,
        _ depth: Int
    ) throws(DownloadError) -> [String]? {
        let parts = parts(of: text)
        guard parts.count == 1 else {
            var all: [String] = []
            for part in parts where all.count <= most {
                all += try expand(String(part), depth: depth + 1)
            }
            return all
        }
        return try sequence(text)
    }

    /// Splits a text at commas that are not within braces.
    private static func parts(of text: Substring) -> [Substring] {
        var depth = 0
        return text.split(omittingEmptySubsequences: false) { character in
            if character == "{" { depth += 1 }
            if character == "}" { depth -= 1 }
            return character == "," && depth == 0
        }
    }

    /// Returns the members of `1..10`, `01..10`, `1..10..2` or `a..z`; `nil` for any other text.
    private static func sequence(_ text: Substring) throws(DownloadError) -> [String]? {
        let parts = text.split(separator: "..", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 || parts.count == 3 else { return nil }
        guard let step = parts.count == 3 ? number(parts[2]) : 1, step > 0 else { return nil }
        if let first = number(parts[0]), let last = number(parts[1]) {
            guard abs(last - first) / step < most else {
                throw .usage(
                    "{\(text.prefix(40))} stands for more than \(most) numbers",
                    advice: "use a smaller range, or several commands"
                )
            }
            let isPadded = parts[0...1].contains { $0.count > 1 && $0.hasPrefix("0") }
            let width = isPadded ? max(parts[0].count, parts[1].count) : 0
            return stride(from: first, through: last, by: first <= last ? step : -step).map {
                padded($0, to: width)
            }
        }
        guard let first = letter(parts[0]), let last = letter(parts[1]) else { return nil }
        return stride(from: first, through: last, by: first <= last ? step : -step).map {
            String(UnicodeScalar(UInt8($0)))
        }
    }

    /// Returns a number with which no sum overflows.
    private static func number(_ text: String) -> Int? {
        Int(text).flatMap { $0.magnitude <= 1 << 53 ? $0 : nil }
    }

    private static func padded(_ number: Int, to width: Int) -> String {
        let digits = String(number.magnitude)
        let sign = number < 0 ? "-" : ""
        return sign + String(repeating: "0", count: max(0, width - sign.count - digits.count))
            + digits
    }

    private static func letter(_ text: String) -> Int? {
        guard text.count == 1, let value = text.first?.asciiValue, text.first?.isLetter == true
        else { return nil }
        return Int(value)
    }
}
