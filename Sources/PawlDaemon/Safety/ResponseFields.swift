internal import Glibc
internal import HTTPTypes
internal import struct PawlCore.HTTPDate

/// The fields of each response: the date, the server, and what a browser may do with the response.
enum ResponseFields {
    private static let fields: [(String, String)] = [
        ("X-Content-Type-Options", "nosniff"),
        ("Cache-Control", "no-store"),
        ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"),
        ("Referrer-Policy", "no-referrer"),
        ("X-Frame-Options", "DENY"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        // A page of another site that opens the daemon's page has no access to its window.
        ("Cross-Origin-Opener-Policy", "same-origin"),
    ]

    private static let names: [(HTTPField.Name, String)] = fields.compactMap { name, value in
        HTTPField.Name(name).map { ($0, value) }
    }

    /// Adds the fields; a field that the response has already stays, such as those of the page.
    static func add(to answer: inout HTTPFields) {
        answer[.date] = HTTPDate(secondsSince1970: Int64(time(nil))).text
        answer[.server] = "pawl"
        for (name, value) in names where answer[name] == nil { answer[name] = value }
    }
}
