/// One row of the table of errors: `docs/errors.md`, exit codes and retries come from it.
package struct ErrorRow: Sendable {
    package let code: ErrorCode
    package let retry: RetryClass
    /// aria2's number where the meaning is the same.
    package let exitStatus: Int32
    package let meaning: String
}

extension ErrorCode {
    /// A failure that has no code of its own.
    public static let unknown = ErrorCode(rawValue: "unknown")
    /// A time limit passed: connecting, stalled, or the whole download.
    public static let timedOut = ErrorCode(rawValue: "timed-out")
    /// The server has no such file (404, 410).
    public static let notFound = ErrorCode(rawValue: "not-found")
    /// Slower than the minimum speed.
    public static let tooSlow = ErrorCode(rawValue: "too-slow")
    /// No connection, or it broke and did not come back.
    public static let network = ErrorCode(rawValue: "network")
    /// Stopped by the user; what came is kept.
    public static let interrupted = ErrorCode(rawValue: "interrupted")
    /// The file system is full.
    public static let diskFull = ErrorCode(rawValue: "disk-full")
    /// Another process has this download.
    public static let alreadyRunning = ErrorCode(rawValue: "already-running")
    /// The file is there and may not be replaced.
    public static let fileExists = ErrorCode(rawValue: "file-exists")
    /// The finished file could not get its name.
    public static let renameFailed = ErrorCode(rawValue: "rename-failed")
    /// A file could not be opened for reading.
    public static let fileUnreadable = ErrorCode(rawValue: "file-unreadable")
    /// A file could not be created: permission, name, read-only.
    public static let fileNotCreatable = ErrorCode(rawValue: "file-not-creatable")
    /// Reading or writing a file failed.
    public static let diskFailure = ErrorCode(rawValue: "disk-failure")
    /// A folder could not be created or used.
    public static let directoryNotUsable = ErrorCode(rawValue: "directory-not-usable")
    /// The host's name has no address.
    public static let nameNotResolved = ErrorCode(rawValue: "name-not-resolved")
    /// The server's answer makes no sense.
    public static let badResponse = ErrorCode(rawValue: "bad-response")
    /// A chain of redirects longer than 20.
    public static let tooManyRedirects = ErrorCode(rawValue: "too-many-redirects")
    /// Credentials are missing, wrong or not enough (401, 403, 407).
    public static let unauthorized = ErrorCode(rawValue: "unauthorized")
    /// Wrong use: an option, a URL, a list.
    public static let usage = ErrorCode(rawValue: "usage")
    /// The server is overloaded or asks to wait (429, 503 …).
    public static let serverBusy = ErrorCode(rawValue: "server-busy")
    /// The bytes do not have the digest that they should.
    public static let checksumMismatch = ErrorCode(rawValue: "checksum-mismatch")
    /// The server's certificate was not accepted, or TLS failed.
    public static let tlsFailed = ErrorCode(rawValue: "tls-failed")
    /// The file on the server changes while it is fetched.
    public static let keepsChanging = ErrorCode(rawValue: "keeps-changing")
    /// A redirect to where Pawl does not go: HTTPS to HTTP, another scheme.
    public static let redirectRefused = ErrorCode(rawValue: "redirect-refused")
    /// A web page came where the file is something else, such as the login page of a network.
    public static let captivePortal = ErrorCode(rawValue: "captive-portal")
    /// A response without the file's validators, such as an error message, in place of the file.
    public static let notTheFile = ErrorCode(rawValue: "not-the-file")
    /// More came, or was announced, than may be kept in memory.
    public static let tooLarge = ErrorCode(rawValue: "too-large")

    /// Thrown away by the user: nothing is kept.
    public static let cancelled = ErrorCode(rawValue: "cancelled")
    /// The service that carries background sessions is not there.
    public static let daemonUnavailable = ErrorCode(rawValue: "daemon-unavailable")
    /// Resume data that are damaged, of a newer version, or something else.
    public static let invalidResumeData = ErrorCode(rawValue: "invalid-resume-data")
    /// What was left cannot be gone on with, and starting anew was not wanted.
    public static let notResumable = ErrorCode(rawValue: "not-resumable")

    /// The daemon may not do that, or not for who asks: a private address, a folder, a route.
    public static let notAllowed = ErrorCode(rawValue: "not-allowed")

    /// The request conflicts with the current state: the download has ended, or the file is a different one.
    public static let conflict = ErrorCode(rawValue: "conflict")
    /// The daemon's version differs from that of the program.
    public static let daemonVersion = ErrorCode(rawValue: "daemon-version")

    package static let table: [ErrorRow] = [
        row(.unknown, .later, 1, "a failure that has no code of its own"),
        row(.timedOut, .later, 2, "a time limit passed: connecting, stalled, or --max-time"),
        row(.notFound, .elsewhere, 3, "the server has no such file (404, 410)"),
        row(.tooSlow, .later, 5, "slower than --min-speed"),
        row(.network, .later, 6, "no connection, or it broke and did not come back"),
        row(.interrupted, .now, 7, "stopped by the user; what came is kept"),
        row(.diskFull, .later, 9, "not enough room on the file system"),
        row(.alreadyRunning, .later, 11, "another process has this download"),
        row(
            .fileExists,
            .never,
            13,
            "the name is taken: by a file with --if-exists fail, or by another download"
        ),
        row(.renameFailed, .never, 14, "the finished file could not get its name"),
        row(.fileUnreadable, .never, 15, "a file could not be opened for reading"),
        row(.fileNotCreatable, .never, 16, "a file could not be created"),
        row(.diskFailure, .later, 17, "reading or writing a file failed"),
        row(.directoryNotUsable, .never, 18, "a folder could not be created or used"),
        row(.nameNotResolved, .later, 19, "the host's name has no address"),
        row(.badResponse, .elsewhere, 22, "the server's answer makes no sense"),
        row(.tooManyRedirects, .elsewhere, 23, "more than 20 redirects"),
        row(.unauthorized, .never, 24, "credentials missing, wrong or not enough (401, 403, 407)"),
        row(.usage, .never, 28, "a wrong option, URL or list"),
        row(.serverBusy, .later, 29, "the server is overloaded or asks to wait (429, 503)"),
        row(.checksumMismatch, .elsewhere, 32, "the bytes do not have the digest they should"),
        row(.tlsFailed, .elsewhere, 33, "TLS failed or the certificate was not accepted"),
        row(.keepsChanging, .later, 34, "the file on the server changes while it is fetched"),
        row(.redirectRefused, .elsewhere, 35, "a redirect to where Pawl does not go"),
        row(.captivePortal, .later, 36, "a web page came where the file is something else"),
        row(.notTheFile, .later, 43, "an answer in place of the file, such as an error page"),
        row(.cancelled, .never, 37, "cancelled: nothing is kept"),
        row(.daemonUnavailable, .later, 38, "the service for background sessions is not there"),
        row(.invalidResumeData, .never, 39, "resume data that are damaged or of a newer version"),
        row(.notResumable, .never, 40, "what was left cannot be gone on with (the library only)"),
        row(.tooLarge, .never, 41, "more than may be kept in memory (the library only)"),
        row(.notAllowed, .never, 42, "not allowed to who asked the daemon: an address, a folder"),
        row(
            .conflict,
            .never,
            44,
            "conflicts with the current state: it has ended, or is another file"
        ),
        row(.daemonVersion, .never, 45, "the daemon's version does not match: pawl daemon restart"),
    ]

    private static func row(
        _ code: ErrorCode,
        _ retry: RetryClass,
        _ exitStatus: Int32,
        _ meaning: String
    ) -> ErrorRow {
        ErrorRow(code: code, retry: retry, exitStatus: exitStatus, meaning: meaning)
    }

    private static let rows = Dictionary(
        table.map { ($0.code, $0) },
        uniquingKeysWith: { first, _ in first }
    )

    /// When trying again makes sense.
    public var retryClass: RetryClass { Self.rows[self]?.retry ?? .later }

    /// What the command `pawl` exits with.
    public var exitStatus: Int32 { Self.rows[self]?.exitStatus ?? 1 }
}
