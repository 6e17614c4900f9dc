/// The content of a cookie file.
///
/// If two processes change the same cookie, the last one wins.
package struct CookieFileContent: SharedFileContent, Hashable {
    /// The maximum size of a file, which is far more than a browser keeps.
    package static let mostBytes = 16 << 20
    private static let head =
        "# Netscape HTTP Cookie File\n# Pawl changes cookies in this file.\n\n"

    /// The cookies that have not expired, in the order of the file.
    package private(set) var cookies: [CookieLine]

    package init(_ text: String, at now: Int64) {
        cookies = text.split(whereSeparator: \.isNewline).compactMap { CookieLine($0) }
            .filter { !$0.hasExpired(at: now) }
    }

    /// Whether a text is that of a cookie file, or empty.
    package static func isValid(_ text: String) -> Bool {
        let lines = text.split(whereSeparator: \.isNewline)
        return lines.isEmpty
            || lines.contains { line in
                CookieLine(line) != nil || line.hasPrefix("# Netscape HTTP Cookie File")
                    || line.hasPrefix("# HTTP Cookie File")
            }
    }

    /// Applies the changes that turned `before` into `after`.
    ///
    /// Cookies of a session are not written; such cookies of others stay, unless `after` has
    /// another cookie in their place.
    package mutating func apply(
        from before: [CookieLine],
        to after: [CookieLine],
        at now: Int64
    ) {
        let old = Set(before)
        let known = Dictionary(cookies.map { ($0.key, $0) }) { _, last in last }
        // libcurl may have written a line of the file in its own way.
        let given = after.filter { cookie in
            !old.contains(cookie) && known[cookie.key]?.isSame(as: cookie) != true
        }
        let left = Set(after.map(\.key))
        let gone = Set(before.map(\.key)).subtracting(left).union(given.map(\.key))
        cookies.removeAll { gone.contains($0.key) || $0.hasExpired(at: now) }
        cookies += given.filter { $0.isLasting(at: now) }
    }

    /// The text of the file.
    package var text: String { Self.head + cookies.map { $0.text + "\n" }.joined() }
}
