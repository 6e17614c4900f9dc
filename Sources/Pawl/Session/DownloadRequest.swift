public import struct FoundationEssentials.URL
public import PawlCore
internal import PawlEngine

/// A request: what to fetch, and how.
public struct DownloadRequest: Sendable {
    /// The URL to fetch.
    ///
    /// A name and password in it are used as credentials, and are never shown.
    public var url: URL
    /// The HTTP method (RFC 9110 §9).
    ///
    /// The default is `GET`.
    ///
    /// A download task accepts no other method, because no other one can be resumed; data tasks and
    /// streams do.
    public var method = "GET"
    /// Fields to send in addition to those of the settings.
    public var fields: [HTTPField] = []
    /// The body to send with a method that takes one.
    public var body: [UInt8] = []
    /// The settings of this request; `nil`, the default, uses those of the session.
    public var settings: DownloadSettings?
    /// Whether a status of 400 or higher is accepted as a result.
    ///
    /// It applies only to data and streams.
    ///
    /// The default is `false`: such a status is an error.
    public var acceptsErrorStatuses = false

    /// Creates a request for a URL with the session's settings unless others are given.
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

extension StreamOrder {
    init(_ request: DownloadRequest, _ checked: CheckedRequest, seed: UInt64) {
        self.init(url: checked.url, settings: checked.settings, seed: seed)
        method = request.method
        body = request.body
        acceptsErrorStatuses = request.acceptsErrorStatuses
    }
}
