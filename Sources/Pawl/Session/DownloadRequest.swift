public import struct FoundationEssentials.URL
public import PawlCore

/// What to fetch, and how.
public struct DownloadRequest: Sendable {
    /// Where it is.
    ///
    /// A name and password in it are taken as credentials, and are never told.
    public var url: URL
    /// The HTTP method (RFC 9110 §9); `GET` by default.
    ///
    /// A download task takes nothing else, as nothing else can be gone on with; data tasks and streams do.
    public var method = "GET"
    /// Fields to send besides those of the settings.
    public var fields: [HTTPField] = []
    /// What to send with a method that takes a body.
    public var body: [UInt8] = []
    /// How this one is done, in place of the session's settings; nil, the default, takes those.
    public var settings: DownloadSettings?
    /// Whether a status from 400 on is taken as an answer like any other, by data and streams alone.
    ///
    /// Off by default: it is an error.
    public var acceptsErrorStatuses = false

    /// Makes a request for a URL, done as the session says.
    public init(_ url: URL, settings: DownloadSettings? = nil) {
        self.url = url
        self.settings = settings
    }

    func settings(in configuration: SessionConfiguration) -> DownloadSettings {
        var settings = settings ?? configuration.settings
        settings.fields += fields
        return settings
    }
}
