internal import Glibc
internal import HTTPTypes

/// The fields of every answer: when and by whom it was sent, and what a browser may do with it.
enum AnswerFields {
    private static let fields: [(String, String)] = [
        ("X-Content-Type-Options", "nosniff"),
        ("Cache-Control", "no-store"),
        ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"),
        ("Referrer-Policy", "no-referrer"),
        ("X-Frame-Options", "DENY"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
    ]

    private static let names: [(HTTPField.Name, String)] = fields.compactMap { name, value in
        HTTPField.Name(name).map { ($0, value) }
    }

    /// Adds the fields.
    ///
    /// An answer that has its own value, such as the page's, keeps it.
    static func add(to answer: inout HTTPFields) {
        answer[.date] = date(time(nil))
        answer[.server] = "pawl"
        for (name, value) in names where answer[name] == nil { answer[name] = value }
    }

    /// Returns a date as in RFC 9110 §5.6.7: `Sat, 21 Nov 2026 20:45:00 GMT`.
    private static func date(_ seconds: time_t) -> String {
        var (seconds, parts) = (seconds, tm())
        gmtime_r(&seconds, &parts)
        var text = [CChar](repeating: 0, count: 32)
        let count = strftime(&text, text.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
        return String(decoding: text[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
