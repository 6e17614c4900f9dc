public import struct FoundationEssentials.URL
public import PawlCore

/// How a library works.
public struct LibraryConfiguration: Sendable {
    /// The session that its downloads run in: limits, time limits, fields, credentials.
    ///
    /// Of the kind `.default` or `.ephemeral`: a library over a background session is refused.
    public var session = SessionConfiguration.default
    /// What asking for a finished file does; `.use` by default.
    public var finishedFilePolicy = FinishedFilePolicy.use
    /// Asked for another URL when one has expired; nil, the default, lets the download fail.
    public var renewURL: URLRenewal?
    /// The folder in which others put files with URLs, by its path; nil, the default, is none.
    public var dropFolder: String?
    /// How long a file in the drop folder has to rest before it is read; 0.3 s by default.
    ///
    /// It must not be open for writing either, where the system tells that.
    public var dropRest: Duration = .milliseconds(300)
    /// Whether changes that others make in the folder are followed.
    ///
    /// On by default.
    public var watchesFolder = true
    /// Whether each file's SHA-256 is kept where the server gave no digest, so that damage is found.
    ///
    /// On by default; it reads each file once more when it is finished.
    public var keepsDigests = true
    /// How many events are kept for a reader that is slow; 100,000 by default.
    ///
    /// Where there are more it gets `LibraryEvent.eventsLost` in their place.
    public var mostUnreadEvents = 100_000

    /// Makes the defaults.
    public init() {}
}

/// Gives another URL for the same file; nil, or an error, where there is none.
public typealias URLRenewal = @Sendable (ExpiredURL) async throws -> URL?

/// A URL that the server serves no more: it answered 401, 403 or 410.
public struct ExpiredURL: Sendable {
    /// Whose URL it is.
    public let key: StorageKey
    /// The URL.
    public let url: URL
    /// What the server answered.
    public let status: Int
}

/// What is asked of a library for one key.
public struct LibraryRequest: Sendable {
    /// Where the file is; nil takes the URL that is known of an earlier ask.
    public var url: URL?
    /// What the file is to be called; by default after its key, with the URL's extension.
    ///
    /// It is cleaned, and numbered where another key has it.
    public var name: String?
    /// What to do where the file is there; nil, the default, is as the library says.
    public var policy: FinishedFilePolicy?
    /// How this one is done, in place of the session's settings; nil takes those.
    ///
    /// What is in it is kept in memory alone: another process must be given it again. Credentials and
    /// secret fields are for the origin of the URL that it was given with: they are not sent where
    /// another URL of the file, given later, leads to.
    public var settings: DownloadSettings?
    /// The URL that `settings` were given for.
    var settingsURL: URL?
    /// Asked for another URL when one has expired, in place of the library's own.
    public var renewURL: URLRenewal?

    /// Asks for a file that is fetched from that URL.
    public init(_ url: URL? = nil) { self.url = url }
}
