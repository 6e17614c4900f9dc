public import struct FoundationEssentials.URL
public import PawlCore
internal import PawlEngine
internal import Synchronization

/// Answers without a file.
extension DownloadSession {
    /// A small answer as a whole, in memory: by a task of the session that begins at once.
    ///
    /// ```swift
    /// let release = try await session.data(from: url).json(Release.self)
    /// ```
    ///
    /// `limit` is the most bytes that may come; what is larger is an error, and is not fetched where
    /// the server says so. Cancelling the task that awaits it ends it. It waits for no turn, and the
    /// delegate hears of the task, but gets no bytes.
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
        let task = makeTask { place in
            DataTask(request, limit: limit, at: place, isAwaitedAtOnce: true)
        }
        task.resume()
        do throws(DownloadError) {
            return try await task.data
        } catch {
            guard error.code == .cancelled, Task.isCancelled else { throw error }
            throw DownloadError(.interrupted, "the waiting was cancelled")
        }
    }

    // MARK: - Tasks

    /// A task that brings the answer to a request as data.
    ///
    /// It begins when it is resumed. `limit` is the most bytes that may come where they are wanted as a
    /// whole; read in pieces, there may be more.
    public func dataTask(
        with request: DownloadRequest,
        limit: Int64 = FetchedData.defaultLimit,
        completionHandler: DataCompletionHandler? = nil
    ) -> DataTask {
        makeTask { place in
            DataTask(request, limit: limit, at: place, completionHandler: completionHandler)
        }
    }

    /// A task that brings what is at a URL as data.
    ///
    /// It begins when it is resumed.
    public func dataTask(
        with url: URL,
        limit: Int64 = FetchedData.defaultLimit,
        completionHandler: DataCompletionHandler? = nil
    ) -> DataTask {
        dataTask(
            with: DownloadRequest(url),
            limit: limit,
            completionHandler: completionHandler
        )
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
