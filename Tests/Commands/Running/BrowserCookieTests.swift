import Glibc
import GRDB
import PawlCore
import PawlTesting
import Testing

/// `--cookies-from`: the cookies of browsers.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct BrowserCookieTests {
    private let resource = Resource(size: 30_000)

    /// A workshop whose folder is the user's home, too.
    private func home() throws -> (Workshop, ProcessSettings) {
        let workshop = try Workshop(resource)
        let folder = workshop.folder.path
        return (
            workshop, ProcessSettings(environment: ["HOME": folder, "XDG_RUNTIME_DIR": folder])
        )
    }

    private func makeFolders(_ path: String, in folder: ScratchFolder) throws {
        var names: [String] = []
        for name in path.split(separator: "/") {
            names.append(String(name))
            let path = names.joined(separator: "/")
            if !folder.exists(path) { try folder.makeFolder(path) }
        }
    }

    private func sentCookies(_ workshop: Workshop) -> [String] {
        let field = workshop.origin.requests.last?["Cookie"] ?? ""
        return field.split(separator: ";").map { $0.drop { $0 == " " } }.map(String.init).sorted()
    }

    // MARK: Firefox

    /// Firefox's table of cookies, as its version 128 creates it.
    private static let firefoxTable = """
        CREATE TABLE moz_cookies (id INTEGER PRIMARY KEY, originAttributes TEXT NOT NULL DEFAULT '',
        name TEXT, value TEXT, host TEXT, path TEXT, expiry INTEGER, lastAccessed INTEGER,
        creationTime INTEGER, isSecure INTEGER, isHttpOnly INTEGER,
        inBrowserElement INTEGER DEFAULT 0, sameSite INTEGER DEFAULT 0,
        rawSameSite INTEGER DEFAULT 0, schemeMap INTEGER DEFAULT 0,
        isPartitionedAttributeSet INTEGER DEFAULT 0,
        CONSTRAINT moz_uniqueid UNIQUE (name, host, path, originAttributes))
        """

    /// Makes a database that stays open and locked, as that of a running Firefox.
    private func makeFirefoxStore(_ path: String, _ rows: [String]) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA locking_mode = EXCLUSIVE")
        }
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.writeWithoutTransaction { database in
            _ = try String.fetchOne(database, sql: "PRAGMA journal_mode = WAL")
            try database.execute(sql: Self.firefoxTable)
            for row in rows {
                try database.execute(
                    sql: """
                        INSERT INTO moz_cookies (name, value, host, path, expiry, lastAccessed, \
                        isSecure, isHttpOnly, originAttributes) VALUES (\(row))
                        """
                )
            }
        }
        return queue
    }

    private static let rows = [
        "'a', '1', '127.0.0.1', '/', 4000000000, 1, 0, 1, ''",
        "'b', '2', '127.0.0.1', '/', 4000000000000, 2, 0, 0, ''",
        "'old', '3', '127.0.0.1', '/', 1000, 3, 0, 0, ''",
        "'other', '4', '.example.org', '/', 4000000000, 4, 0, 0, ''",
        "'container', '5', '127.0.0.1', '/', 4000000000, 5, 0, 0, '^userContextId=2'",
        "'tab', 'a' || char(9) || 'b', '127.0.0.1', '/', 4000000000, 6, 0, 0, ''",
    ]

    @Test func `the cookies of a running Firefox are sent`() async throws {
        let (workshop, settings) = try home()
        try makeFolders(".mozilla/firefox/x1.default", in: workshop.folder)
        try makeFolders(".mozilla/firefox/x2.work", in: workshop.folder)
        try workshop.folder.write(
            ".mozilla/firefox/profiles.ini",
            """
            [Install4F96D1932A9F858E]
            Default=x1.default

            [Profile1]
            Name=work
            IsRelative=1
            Path=x2.work

            [Profile0]
            Name=default
            IsRelative=1
            Path=x1.default
            Default=1
            """
        )
        let root = workshop.folder.path(".mozilla/firefox")
        let usual = try makeFirefoxStore(root + "/x1.default/cookies.sqlite", Self.rows)
        let work = "'w', '9', '127.0.0.1', '/', 0, 1, 0, 0, ''"
        let other = try makeFirefoxStore(root + "/x2.work/cookies.sqlite", [work])
        let run = try await workshop.run(
            workshop.url,
            "--cookies-from",
            "firefox",
            "-v",
            settings: settings
        )
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(sentCookies(workshop) == ["a=1", "b=2"])
        let named = try await workshop.run(
            workshop.url,
            "--cookies-from",
            "firefox:work",
            "-o",
            "b",
            settings: settings
        )
        #expect(named.status == .code(0), "\(named.errors)")
        #expect(sentCookies(workshop) == ["w=9"])
        let path = try await workshop.run(
            "inspect",
            workshop.url,
            "--cookies-from",
            "firefox:\(root)/x2.work",
            settings: settings
        )
        #expect(path.status == .code(0), "\(path.errors)")
        #expect(sentCookies(workshop) == ["w=9"])
        // No copy of the cookies is left.
        #expect(
            workshop.folder.list().sorted()
                == [".cache", ".mozilla", "b", Workshop.name].filter(workshop.folder.exists)
        )
        withExtendedLifetime((usual, other)) {}
    }

    @Test(arguments: [
        ("firefox", ErrorCode.fileUnreadable), ("chromium:Work", .fileUnreadable),
        ("netscape", .usage), ("firefox:a/b", .usage),
    ])
    func `a browser or profile that does not exist is an error`(text: String, code: ErrorCode)
        async throws
    {
        let (workshop, settings) = try home()
        let run = try await workshop.run(workshop.url, "--cookies-from", text, settings: settings)
        expectFailure(code, run)
        #expect(workshop.origin.requests.isEmpty)
    }

    @Test func `a file that is not a database is an error`() async throws {
        let (workshop, settings) = try home()
        try workshop.folder.write("cookies.sqlite", "no database")
        let profile = "firefox:\(workshop.folder.path)"
        let run = try await workshop.run(
            workshop.url,
            "--cookies-from",
            profile,
            settings: settings
        )
        expectFailure(.fileUnreadable, run)
    }

    @Test func `a file and a browser cannot be combined`() async throws {
        let (workshop, settings) = try home()
        let run = try await workshop.run(
            workshop.url,
            "--cookies-from",
            "firefox",
            "-b",
            "jar",
            settings: settings
        )
        expectFailure(.usage, run)
    }

    // MARK: Chromium

    /// Chromium's table of cookies, with the columns that are read, and values that are encrypted
    /// with AES-128-CBC and PBKDF2 of `peanuts` and `k3y`, for the host 127.0.0.1.
    private func makeChromiumStore(_ path: String) throws {
        let queue = try DatabaseQueue(path: path)
        let (fixed, keyring) = (
            "7631302bb01eebe40ccff8b9d3b700273158b01eee6bedeecab4de6dba0816a56b0038a7dd2e1606a95249"
                + "ad0ca4f7f886199d",
            "763131cf2413cfc968d735c9c0e40c01f6f3fac20d7b7b50c15f557f443b30537c722e8f763e7657f4fe19"
                + "cd8b8394e03263d0"
        )
        try queue.write { database in
            try database.execute(
                sql: """
                    CREATE TABLE meta (key LONGVARCHAR NOT NULL UNIQUE PRIMARY KEY, value LONGVARCHAR);
                    INSERT INTO meta VALUES ('version', '24');
                    CREATE TABLE cookies (creation_utc INTEGER, host_key TEXT, top_frame_site_key TEXT,
                    name TEXT, value TEXT, encrypted_value BLOB, path TEXT, expires_utc INTEGER,
                    is_secure INTEGER, is_httponly INTEGER, last_access_utc INTEGER);
                    INSERT INTO cookies VALUES
                    (1, '127.0.0.1', '', 'a', '', x'\(fixed)', '/', 15644473600000000, 0, 0, 1),
                    (1, '127.0.0.1', '', 'b', '', x'\(keyring)', '/', 0, 0, 0, 1),
                    (1, '127.0.0.1', '', 'c', 'plain', x'', '/', 0, 0, 0, 1),
                    (1, '127.0.0.1', 'https://example.org', 'd', 'x', x'', '/', 0, 0, 0, 1);
                    """
            )
        }
    }

    @Test func `cookies are decrypted with the key of the keyring`() async throws {
        var (workshop, settings) = try home()
        try makeFolders(".config/chromium/Default/Network", in: workshop.folder)
        try makeFolders("bin", in: workshop.folder)
        try makeChromiumStore(workshop.folder.path(".config/chromium/Default/Network/Cookies"))
        try workshop.folder.write(
            "bin/secret-tool",
            "#!/bin/sh\n[ \"$*\" = 'lookup application chromium' ] && echo k3y\n"
        )
        try workshop.folder.setPermissions("bin/secret-tool", 0o755)
        let path = getenv("PATH").map { String(cString: $0) } ?? ""
        settings.environment["PATH"] = "\(workshop.folder.path("bin")):\(path)"
        let run = try await workshop.run(
            workshop.url,
            "--cookies-from",
            "chromium",
            settings: settings
        )
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(sentCookies(workshop) == ["a=ten", "b=eleven", "c=plain"])
        try workshop.folder.write("bin/secret-tool", "#!/bin/sh\nexit 1\n")
        let locked = try await workshop.run(
            workshop.url,
            "--cookies-from",
            "chromium",
            settings: settings
        )
        expectFailure(.fileUnreadable, locked)
        #expect(locked.errors.contains("libsecret-tools"))
        try workshop.folder.write("bin/secret-tool", "#!/bin/sh\necho wrong\n")
        let wrong = try await workshop.run(
            workshop.url,
            "--cookies-from",
            "chromium",
            settings: settings
        )
        expectFailure(.fileUnreadable, wrong)
        #expect(wrong.errors.contains("cannot be decrypted"))
    }

    private static let chromium = "/usr/bin/chromium"

    @Test(.enabled(if: access(chromium, X_OK) == 0))
    func `the cookies of a real Chromium are sent`() async throws {
        let (workshop, settings) = try home()
        workshop.serve(
            Reply.resource(Resource(size: 100)).setting("Set-Cookie", "id=7; Max-Age=3600")
                .setting("Content-Type", "text/html"),
            at: "/login"
        )
        let profile = workshop.folder.path("profile")
        let browser = try await ProcessRunner.run(
            Self.chromium,
            [
                "--headless", "--no-sandbox", "--disable-gpu", "--password-store=basic",
                "--user-data-dir=\(profile)", "--dump-dom", workshop.origin.url("/login"),
            ],
            settings
        )
        #expect(browser.status == .code(0), "\(browser.errors)")
        let run = try await workshop.run(
            workshop.url,
            "--cookies-from",
            "chromium:\(profile)",
            settings: settings
        )
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(sentCookies(workshop) == ["id=7"])
    }
}
