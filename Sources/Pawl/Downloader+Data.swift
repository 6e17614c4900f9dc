package import struct FoundationEssentials.URL
package import PawlCore
internal import PawlEngine

extension Downloader {
    /// Sends a request, and returns with its answer's head; the body comes as it is read.
    package func openStream(
        _ url: URL,
        method: String = "GET",
        body: [UInt8] = [],
        settings: DownloadSettings = DownloadSettings(),
        acceptsErrorStatuses: Bool = false
    ) async throws(DownloadError) -> DataStream {
        let request = try CheckedRequest(url, settings)
        var order = StreamOrder(
            url: request.url,
            settings: request.settings,
            seed: engine.seeds.next()
        )
        order.method = method
        order.body = body
        order.acceptsErrorStatuses = acceptsErrorStatuses
        return try await DataStream.open(order, engine: engine)
    }
}
