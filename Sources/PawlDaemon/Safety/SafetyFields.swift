internal import HTTPTypes

/// What each answer tells a browser.
enum SafetyFields {
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

    /// An answer that has one of its own, as the page's has, keeps it.
    static func add(to answer: inout HTTPFields) {
        for (name, value) in names where answer[name] == nil { answer[name] = value }
    }
}
