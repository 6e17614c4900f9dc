/// One row of the table of errors, from which `docs/errors.md`, exit statuses and retries follow.
package struct ErrorRow: Sendable {
    package let code: ErrorCode
    package let retry: RetryClass
    /// The exit status: aria2's number if the meaning is the same.
    package let exitStatus: Int32
    /// The meaning, in the words of each reader.
    package let meaning: Advice
}

extension ErrorCode {
    /// A failure without a code of its own.
    public static let unknown = ErrorCode(rawValue: "unknown")
    /// A time limit was exceeded: connecting, stalled, or the whole download.
    public static let timedOut = ErrorCode(rawValue: "timed-out")
    /// The server has no such file (404, 410).
    public static let notFound = ErrorCode(rawValue: "not-found")
    /// The download was slower than the minimum speed.
    public static let tooSlow = ErrorCode(rawValue: "too-slow")
    /// No connection could be made, or it broke and could not be restored.
    public static let network = ErrorCode(rawValue: "network")
    /// The user stopped the download; the bytes received so far are kept.
    public static let interrupted = ErrorCode(rawValue: "interrupted")
    /// There is not enough space on the file system.
    public static let diskFull = ErrorCode(rawValue: "disk-full")
    /// Another process runs this download.
    public static let alreadyRunning = ErrorCode(rawValue: "already-running")
    /// The file exists and may not be replaced.
    public static let fileExists = ErrorCode(rawValue: "file-exists")
    /// The finished file could not be renamed to its final name.
    public static let renameFailed = ErrorCode(rawValue: "rename-failed")
    /// A file could not be opened for reading.
    public static let fileUnreadable = ErrorCode(rawValue: "file-unreadable")
    /// A file could not be created because of its permissions, its name, or a read-only file
    /// system.
    public static let fileNotCreatable = ErrorCode(rawValue: "file-not-creatable")
    /// Reading or writing a file failed.
    public static let diskFailure = ErrorCode(rawValue: "disk-failure")
    /// A folder could not be created or used.
    public static let directoryNotUsable = ErrorCode(rawValue: "directory-not-usable")
    /// The host's name cannot be resolved.
    public static let nameNotResolved = ErrorCode(rawValue: "name-not-resolved")
    /// The server's response is not valid.
    public static let badResponse = ErrorCode(rawValue: "bad-response")
    /// There were more redirects in a row than ``DownloadSettings/maximumRedirects`` allows.
    public static let tooManyRedirects = ErrorCode(rawValue: "too-many-redirects")
    /// Credentials are missing, wrong or insufficient (401, 403, 407).
    public static let unauthorized = ErrorCode(rawValue: "unauthorized")
    /// An option, a URL or a list is not valid.
    public static let usage = ErrorCode(rawValue: "usage")
    /// The server is overloaded, fails, or asks the client to wait (408, 425, 429, 500, 502 …).
    public static let serverBusy = ErrorCode(rawValue: "server-busy")
    /// The bytes do not have the expected digest.
    public static let checksumMismatch = ErrorCode(rawValue: "checksum-mismatch")
    /// The server's certificate was rejected, or TLS failed.
    public static let tlsFailed = ErrorCode(rawValue: "tls-failed")
    /// The file on the server changes while it is fetched.
    public static let keepsChanging = ErrorCode(rawValue: "keeps-changing")
    /// A redirect that Pawl does not follow, such as from HTTPS to HTTP or to another scheme.
    public static let redirectRefused = ErrorCode(rawValue: "redirect-refused")
    /// A web page was received instead of a file of another type, such as the login page of a
    /// network.
    public static let captivePortal = ErrorCode(rawValue: "captive-portal")
    /// A response that is not the file, such as an error page without the file's validators.
    public static let notTheFile = ErrorCode(rawValue: "not-the-file")
    /// The response is larger than may be kept in memory.
    public static let tooLarge = ErrorCode(rawValue: "too-large")

    /// The user cancelled the download; nothing is kept, except by
    /// `cancelByProducingResumeData()`.
    public static let cancelled = ErrorCode(rawValue: "cancelled")
    /// The service that runs background sessions is not available.
    public static let daemonUnavailable = ErrorCode(rawValue: "daemon-unavailable")
    /// The resume data is damaged, was written by a newer version, or is not resume data.
    public static let invalidResumeData = ErrorCode(rawValue: "invalid-resume-data")
    /// The download cannot be resumed, and starting over was not allowed.
    public static let notResumable = ErrorCode(rawValue: "not-resumable")

    /// The daemon does not allow the operation, or not to this client: a private address, a folder,
    /// a route.
    public static let notAllowed = ErrorCode(rawValue: "not-allowed")

    /// The request conflicts with the current state: the download has ended, or the file is a
    /// different one.
    public static let conflict = ErrorCode(rawValue: "conflict")
    /// The daemon's version differs from that of the program.
    public static let daemonVersion = ErrorCode(rawValue: "daemon-version")
    /// The download was recovered from a damaged queue, but its settings are lost.
    public static let settingsLost = ErrorCode(rawValue: "settings-lost")
    /// The database with the daemon's queue cannot be reached or used at present.
    public static let storeUnavailable = ErrorCode(rawValue: "store-unavailable")

    package static let table: [ErrorRow] = [
        row(.unknown, .later, 1, "a failure without a code of its own"),
        row(
            .timedOut,
            .later,
            2,
            "a time limit was reached: for connecting, for a stall, or \(.maximumDuration)"
        ),
        row(.notFound, .elsewhere, 3, "the file does not exist on the server (404, 410)"),
        row(.tooSlow, .later, 5, "slower than \(.minimumSpeed)"),
        row(.network, .later, 6, "no connection, or it broke and could not be restored"),
        row(.interrupted, .now, 7, "stopped by the user; the bytes received so far are kept"),
        row(.diskFull, .later, 9, "not enough space on the file system"),
        row(.alreadyRunning, .later, 11, "another process runs this download"),
        row(
            .fileExists,
            .never,
            13,
            "the name is in use by a file (see \(.ifExists)) or by another download"
        ),
        row(.renameFailed, .never, 14, "the finished file could not be renamed"),
        row(.fileUnreadable, .never, 15, "a file could not be opened for reading"),
        row(.fileNotCreatable, .never, 16, "a file could not be created"),
        row(.diskFailure, .later, 17, "reading or writing a file failed"),
        row(.directoryNotUsable, .never, 18, "a folder could not be created or used"),
        row(.nameNotResolved, .later, 19, "the host's name cannot be resolved"),
        row(.badResponse, .elsewhere, 22, "the server's response is not valid"),
        row(.tooManyRedirects, .elsewhere, 23, "more redirects in a row than are allowed"),
        row(
            .unauthorized,
            .never,
            24,
            "credentials are missing, wrong or insufficient (401, 403, 407)"
        ),
        row(.usage, .never, 28, "an option, a URL or a list is not valid"),
        row(
            .serverBusy,
            .later,
            29,
            "the server is overloaded, fails, or asks to wait (408, 425, 429, 500, 502 …)"
        ),
        row(.checksumMismatch, .elsewhere, 32, "the bytes do not match their checksum"),
        row(
            .tlsFailed,
            .elsewhere,
            33,
            "TLS failed, or the certificate or the SSH host key was rejected"
        ),
        row(.keepsChanging, .later, 34, "the file on the server changes while it is fetched"),
        row(.redirectRefused, .elsewhere, 35, "a redirect that Pawl does not follow"),
        row(.captivePortal, .later, 36, "a web page instead of a file of the expected type"),
        row(.notTheFile, .later, 43, "a response other than the file, such as an error page"),
        row(
            .cancelled,
            .never,
            37,
            "cancelled; the bytes received are kept only if resume data was requested"
        ),
        row(.daemonUnavailable, .later, 38, "the daemon for background sessions is not available"),
        row(.invalidResumeData, .never, 39, "the resume data is damaged or of a newer version"),
        row(.notResumable, .never, 40, "the download cannot be resumed"),
        row(.tooLarge, .never, 41, "larger than may be kept in memory"),
        row(.notAllowed, .never, 42, "not allowed by the daemon: an address, a folder, a route"),
        row(
            .conflict,
            .never,
            44,
            "the download has already ended, or the file differs"
        ),
        row(.daemonVersion, .never, 45, "the daemon's version differs from the program's"),
        row(
            .settingsLost,
            .never,
            46,
            "recovered without settings from a damaged queue: check them, then resume"
        ),
        row(
            .storeUnavailable,
            .later,
            47,
            "the database with the daemon's queue cannot be reached or used at present"
        ),
    ]

    private static func row(
        _ code: ErrorCode,
        _ retry: RetryClass,
        _ exitStatus: Int32,
        _ meaning: Advice
    ) -> ErrorRow {
        ErrorRow(code: code, retry: retry, exitStatus: exitStatus, meaning: meaning)
    }

    private static let rows = Dictionary(
        table.map { ($0.code, $0) },
        uniquingKeysWith: { first, _ in first }
    )

    /// When retrying can help.
    public var retryClass: RetryClass { Self.rows[self]?.retry ?? .later }

    /// The exit status of the command `pawl`.
    public var exitStatus: Int32 { Self.rows[self]?.exitStatus ?? 1 }
}
