internal import PawlCore

/// The table of cookies of Chromium and browsers that are made from it.
struct ChromiumStore {
    private let browser: Browser
    private let password: (Browser) throws(DownloadError) -> String

    init(_ browser: Browser, password: @escaping (Browser) throws(DownloadError) -> String) {
        (self.browser, self.password) = (browser, password)
    }

    /// Reads the cookies outside partitions.
    func read(_ file: SQLiteFile) throws(DownloadError) -> [CookieLine] {
        var version: Int64 = 0
        try file.forEachRow(of: "SELECT value FROM meta WHERE key = 'version'") { row in
            version = row.text(0).flatMap { Int64($0) } ?? row.integer(0)
        }
        var lines: [CookieLine] = []
        var keys = ChromiumKeys(browser, namesHost: version >= 24, password: password)
        var failure: DownloadError?
        try file.forEachRow(of: Self.query) { row in
            guard failure == nil, let host = row.text(0), let path = row.text(1),
                let name = row.text(5), let plain = row.text(6)
            else { return }
            do throws(DownloadError) {
                let secret = row.bytes(7)
                let value = secret.isEmpty ? plain : try keys.decrypt(secret, of: host)
                guard let value else { return }
                let line = CookieLine(
                    host: host,
                    path: path,
                    needsTLS: row.integer(2) != 0,
                    isHTTPOnly: row.integer(3) != 0,
                    expires: Self.seconds(row.integer(4)),
                    name: name,
                    value: value
                )
                if let line { lines.append(line) }
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return lines
    }

    private static let query = """
        SELECT host_key, path, is_secure, is_httponly, expires_utc, name, value, encrypted_value
        FROM cookies WHERE top_frame_site_key = '' ORDER BY last_access_utc
        """

    /// The seconds since 1970 of a time in microseconds since 1601; 0 stays 0.
    private static func seconds(_ time: Int64) -> Int64 {
        let from1601To1970: Int64 = 11_644_473_600
        return time == 0 ? 0 : time / 1_000_000 - from1601To1970
    }
}
