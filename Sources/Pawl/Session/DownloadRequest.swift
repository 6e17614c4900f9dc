public import struct FoundationEssentials.URL
public import PawlCore

/// What to fetch, and how.
public struct DownloadRequest: Sendable {
    /// Where it is.
    ///
    /// A name and password in it are taken as credentials, and are never told.
    public var url: URL
    /// How this one is done, in place of the session's settings; nil takes those.
    public var settings: DownloadSettings?
    /// Fields to send besides those of the settings.
    public var fields: [HTTPField]

    /// Makes a request for a URL, done as the session says.
    public init(_ url: URL, fields: [HTTPField] = [], settings: DownloadSettings? = nil) {
        self.url = url
        self.fields = fields
        self.settings = settings
    }

    func settings(in configuration: SessionConfiguration) -> DownloadSettings {
        var settings = settings ?? configuration.settings
        settings.fields += fields
        return settings
    }
}
