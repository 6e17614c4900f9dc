internal import PawlCore

/// Firefox's table of cookies.
enum FirefoxStore {
    /// Reads the cookies outside containers and partitions.
    static func read(_ file: SQLiteFile) throws(DownloadError) -> [CookieLine] {
        var lines: [CookieLine] = []
        try file.forEachRow(
            of: """
                SELECT host, path, isSecure, isHttpOnly, expiry, name, value FROM moz_cookies
                WHERE originAttributes = '' ORDER BY lastAccessed
                """
        ) { row in
            guard let host = row.text(0), let path = row.text(1), let name = row.text(5),
                let value = row.text(6)
            else { return }
            let line = CookieLine(
                host: host,
                path: path,
                needsTLS: row.integer(2) != 0,
                isHTTPOnly: row.integer(3) != 0,
                expires: seconds(row.integer(4)),
                name: name,
                value: value
            )
            if let line { lines.append(line) }
        }
        return lines
    }

    /// The seconds of a time in seconds or, since Firefox 142, milliseconds.
    private static func seconds(_ time: Int64) -> Int64 {
        let latestInSeconds: Int64 = 100_000_000_000
        return time > latestInSeconds ? time / 1000 : time
    }
}
