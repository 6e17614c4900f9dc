internal import struct FoundationEssentials.URL
internal import Logging
internal import Pawl
internal import PawlCore
internal import PawlWire

/// What a request for a feed has returned.
struct FeedReading: Sendable {
    /// The feed; `nil` if it has not changed (304).
    var document: FeedDocument?
    var entityTag: String?
    var lastModified: String?
    /// The URL to which the feed has moved permanently.
    var permanentURL: URL?
    /// Whether the server is on a private address, without a redirect by another host or a proxy.
    var isPrivate = false
}

/// Requests a feed.
struct FeedFetcher: Sendable {
    let logger: Logger

    /// The maximum time of a request.
    private static let requestTime: Duration = .seconds(120)

    /// - Throws: `DownloadError`, with the code `.badResponse` for a document that is not a feed.
    func fetch(
        _ feed: FeedTable.Row,
        _ settings: DaemonSettings
    ) async throws(DownloadError) -> FeedReading {
        let (request, connection) = try request(feed, settings)
        var configuration = SessionConfiguration.default
        configuration.removesLeftovers = false
        // Each request has a session, so that the cookies of one feed are not sent for another.
        let session = DownloadSession(configuration, logger: logger)
        let task = session.dataTask(with: request, limit: FeedDocument.mostBytes)
        task.resume()
        let data = try await task.data
        let response = data.response
        var reading = FeedReading()
        reading.entityTag = response.value("ETag")
        reading.lastModified = response.value("Last-Modified")
        reading.permanentURL = response.permanentURL
        let address = task.metrics.remoteAddress.flatMap { IPAddress($0) }
        let urls = response.redirects + [response.url]
        let isDirect = !urls.contains { connection.usesProxy(for: $0) }
        // Of what a proxy has fetched, only the address of the proxy is known.
        reading.isPrivate =
            isDirect && Set(urls.map { $0.host() }).count == 1 && address?.isPublic == false
        guard response.status != 304 else { return reading }
        reading.document = try FeedDocument(data.bytes, from: response.url)
        return reading
    }

    private func request(
        _ feed: FeedTable.Row,
        _ settings: DaemonSettings
    ) throws(DownloadError) -> (DownloadRequest, ConnectionSettings) {
        let checked = try feed.request.download.checked()
        var own = checked.settings
        own.retries = 0
        own.checksum = .none
        own.maximumDuration = Self.requestTime
        own.waitsForConnectivity = false
        if feed.request.download.confinedTo != nil { try own.connection.restrict(settings) }
        // Then it is known whether the proxy of the environment is used.
        own.connection.allowsPrivateProxies = own.connection.allowsPrivateAddresses
        if !settings.usesMeteredNetwork { own.allowsExpensiveNetwork = false }
        var request = DownloadRequest(checked.url) { [own] in $0 = own }
        if let tag = feed.state.entityTag {
            request.fields.append(HTTPField(name: "If-None-Match", value: tag))
        }
        if let date = feed.state.lastModified {
            request.fields.append(HTTPField(name: "If-Modified-Since", value: date))
        }
        return (request, own.connection)
    }
}
