public import struct FoundationEssentials.URL
public import PawlCore
internal import PawlEngine

/// Answers without a file.
extension DownloadSession {
    /// A small answer as a whole, in memory.
    ///
    /// ```swift
    /// let release = try await session.data(from: url).json(Release.self)
    /// ```
    ///
    /// `limit` is the most bytes that may come; what is larger is an error, and is not fetched where
    /// the server says so. Cancelling the task that awaits it ends it.
    ///
    /// - Throws: `DownloadError`; with the code `.tooLarge` where there is more.
    public func data(
        from url: URL,
        limit: Int64 = FetchedData.defaultLimit
    ) async throws(DownloadError) -> FetchedData {
        try await data(for: DownloadRequest(url), limit: limit)
    }

    /// The answer to a request as a whole, in memory.
    ///
    /// - Throws: `DownloadError`; with the code `.tooLarge` where there is more than `limit` bytes.
    public func data(
        for request: DownloadRequest,
        limit: Int64 = FetchedData.defaultLimit
    ) async throws(DownloadError) -> FetchedData {
        try await bytes(for: request).collect(limit: limit)
    }

    /// An answer as it comes: its head, then its body in pieces, with back-pressure.
    ///
    /// - Throws: `DownloadError`.
    public func bytes(from url: URL) async throws(DownloadError) -> DataStream {
        try await bytes(for: DownloadRequest(url))
    }

    /// The answer to a request as it comes.
    ///
    /// - Throws: `DownloadError`.
    public func bytes(for request: DownloadRequest) async throws(DownloadError) -> DataStream {
        let checked = try CheckedRequest(request.url, request.settings(in: configuration))
        var order = StreamOrder(
            url: checked.url,
            settings: checked.settings,
            seed: engine.seeds.next()
        )
        order.method = request.method
        order.body = request.body
        order.acceptsErrorStatuses = request.acceptsErrorStatuses
        return try await DataStream.open(order, engine: engine)
    }
}
