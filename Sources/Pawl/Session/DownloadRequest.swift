public import struct FoundationEssentials.URL
public import PawlCore
internal import PawlEngine

/// A request: what to fetch, and how.
public struct DownloadRequest: Sendable, SettingsAdjusting, HTTPFieldEditing {
    /// The URL to fetch.
    ///
    /// A name and password in it are used as credentials, and are never shown.
    public var url: URL
    /// The HTTP method (RFC 9110 §9).
    ///
    /// The default is `GET`.
    ///
    /// The response to any other method cannot be resumed. A download task accepts no `HEAD`.
    public var method = "GET"
    /// Fields to send in addition to those of the settings.
    ///
    /// They replace the settings' fields of the same name.
    public var fields: [HTTPField] = []
    /// The body to send with a method that takes one.
    public var body: [UInt8] = []
    /// The changes to the session's settings; `nil`, the default, changes nothing.
    public var adjustment: SettingsAdjustment?
    /// Whether a status of 400 or higher is accepted as a result.
    ///
    /// It applies only to data and streams.
    ///
    /// The default is `false`: such a status is an error.
    public var acceptsErrorStatuses = false
    /// Whether the server may compress the body, which is then decompressed as it arrives.
    ///
    /// It applies only to data and streams. A file is requested uncompressed, because each byte has
    /// its offset in it, unless the settings allow compression
    /// (``DownloadSettings/decodesContent``). The codings are those of `gzip`, `br` and `zstd` that
    /// the system's libcurl supports. A limit counts the decompressed bytes.
    ///
    /// The default is `true`. With `false`, and if ``fields`` or the settings contain
    /// `Accept-Encoding` or `Range`, the body is delivered as it was sent.
    public var decodesContent = true
    /// Whether the URL may be that of a folder of an FTP or SFTP server, whose list is the response.
    package var listsFolder = false

    /// Creates a request for a URL with the session's settings, which `adjustment` may change.
    ///
    /// ```swift
    /// var request = DownloadRequest(url) { settings in
    ///     settings.retries = 3
    ///     settings.connection.connectTimeout = .seconds(5)
    /// }
    /// ```
    public init(_ url: URL, adjusting adjustment: SettingsAdjustment? = nil) {
        self.url = url
        self.adjustment = adjustment
    }

    /// Returns the settings of a task of the session, which include the request's fields.
    func settings(in configuration: SessionConfiguration) -> DownloadSettings {
        var settings = settingsWithFields(over: configuration.settings)
        if method != "GET" || !body.isEmpty {
            (settings.method, settings.body) = (method, body)
        }
        return settings
    }
}

extension StreamJob {
    init(_ request: DownloadRequest, _ checked: CheckedRequest, seed: UInt64) {
        self.init(url: checked.url, settings: checked.settings, seed: seed)
        method = request.method
        body = request.body
        acceptsErrorStatuses = request.acceptsErrorStatuses
        decodesContent = request.decodesContent
    }
}
