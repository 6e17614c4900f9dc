internal import Glibc
package import PawlCore
internal import SystemPackage

/// The cookies of a browser on this machine.
package enum BrowserCookies {
    /// Reads all cookies of a profile, those used last at the end.
    ///
    /// The browser may be running. It blocks.
    ///
    /// - Parameters:
    ///   - password: Returns the password for a browser's cookies in the user's keyring.
    package static func read(
        _ profile: BrowserProfile,
        password: @escaping (Browser) throws(DownloadError) -> String
    ) throws(DownloadError) -> [CookieLine] {
        let folders = try BrowserFolders.current()
        switch profile.browser {
        case .firefox:
            let file = try folders.firefoxStore(profile.profile)
            return try copied(file) { (copy) throws(DownloadError) in try FirefoxStore.read(copy) }
        case .chromium, .chrome, .brave, .edge, .vivaldi, .opera:
            let file = try folders.chromiumStore(profile)
            let store = ChromiumStore(profile.browser, password: password)
            return try copied(file) { (copy) throws(DownloadError) in try store.read(copy) }
        }
    }

    private static let mostBytes = 256 << 20
    private static let attempts = 5

    /// Opens a private copy of a database, because the browser keeps its own one locked.
    ///
    /// The copy has no name any more when it is read.
    private static func copied(
        _ file: FilePath,
        _ read: (SQLiteFile) throws(DownloadError) -> [CookieLine]
    ) throws(DownloadError) -> [CookieLine] {
        for attempt in 1...attempts {
            let before = states(of: file)
            let copy = try PrivateCopy(of: file)
            defer { copy.remove() }
            // What the browser wrote meanwhile may not belong together.
            guard states(of: file) == before || attempt == attempts else { continue }
            let database = try SQLiteFile(copy.file)
            try database.forEachRow(of: "SELECT count(*) FROM sqlite_master") { _ in }
            copy.remove()
            return try read(database)
        }
        return []
    }

    /// The sizes and times of a database and its write-ahead log.
    private static func states(of file: FilePath) -> [[Int64]] {
        [file, file.appending(suffix: "-wal")].map { file in
            guard let status = try? file.targetStatus() else { return [] }
            return [status.size, status.modifiedNanoseconds]
        }
    }

    /// A copy of a database and its write-ahead log in a folder of its own.
    private struct PrivateCopy {
        let folder: FilePath
        let file: FilePath

        init(of original: FilePath) throws(DownloadError) {
            let root = Self.variable("XDG_RUNTIME_DIR") ?? Self.variable("TMPDIR") ?? "/tmp"
            var template = Array("\(root)/pawl-cookies-XXXXXX".utf8CString)
            guard mkdtemp(&template) != nil else {
                throw DownloadError(.last, while: .prepareFolder, FilePath(root))
            }
            folder = FilePath(platformString: template)
            file = folder.appending("cookies")
            do throws(DownloadError) {
                try Self.copy(original, to: file)
                let log = original.appending(suffix: "-wal")
                if (try? log.targetStatus()) != nil {
                    try Self.copy(log, to: file.appending(suffix: "-wal"))
                }
            } catch {
                remove()
                throw error
            }
        }

        private static func variable(_ name: String) -> String? {
            guard let value = getenv(name).map({ String(cString: $0) }), value.isAbsolutePath else {
                return nil
            }
            return value
        }

        private static func copy(_ from: FilePath, to: FilePath) throws(DownloadError) {
            let bytes = try attempt(.inspect, from) { () throws(Errno) in
                try OpenFile(from, O_RDONLY).contents(limit: mostBytes)
            }
            try attempt(.write, to) { () throws(Errno) in
                let file = try OpenFile(to, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
                try file.write(bytes, at: 0)
            }
        }

        func remove() {
            // What is left is in the user's own folder.
            for suffix in ["", "-wal", "-shm", "-journal"] {
                try? file.appending(suffix: suffix).removeFile()
            }
            rmdir(folder.string)
        }
    }
}

extension CookieLine {
    /// Creates a line from the parts of a cookie; `nil` if a line cannot contain them.
    ///
    /// - Parameters:
    ///   - host: The host; with a dot in front, including those below it.
    ///   - expires: The seconds since 1970; 0 for the end of the session.
    init?(
        host: String,
        path: String,
        needsTLS: Bool,
        isHTTPOnly: Bool,
        expires: Int64,
        name: String,
        value: String
    ) {
        let parts = [
            (isHTTPOnly ? "#HttpOnly_" : "") + host, host.hasPrefix(".") ? "TRUE" : "FALSE",
            path.isEmpty ? "/" : path, needsTLS ? "TRUE" : "FALSE", "\(max(0, expires))", name,
            value,
        ]
        guard parts.allSatisfy({ !$0.utf8.contains { $0 < 0x20 || $0 == 0x7F } }) else {
            return nil
        }
        self.init(parts.joined(separator: "\t"))
    }
}
