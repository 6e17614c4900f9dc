public import struct FoundationEssentials.URL
public import PawlCore
internal import PawlEngine
internal import Synchronization

/// Answers without a file.
extension DownloadSession {
    /// Fetches a small response completely into memory, using a task of the session that starts at
    /// once.
    ///
    /// ```swift
    /// let release = try await session.data(from: url).json(Release.self)
    /// ```
    ///
    /// `limit` is the maximum number of bytes. A larger response is an error, and is not fetched if
    /// the server announces its length. Cancelling the task that awaits it ends the request. It
    /// does not wait for a turn. The delegate is told of the task, but receives no bytes.
    ///
    /// - Throws: `DownloadError`, with the code `.tooLarge` if the response is larger.
    public func data(
        from url: URL,
        limit: Int64 = FetchedData.defaultLimit
    ) async throws(DownloadError) -> FetchedData {
        try await data(for: DownloadRequest(url), limit: limit)
    }

    /// Fetches the response to a request completely into memory.
    ///
    /// - Throws: `DownloadError`, with the code `.tooLarge` if there are more than `limit` bytes.
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
            throw DownloadError(.interrupted, "the wait was cancelled")
        }
    }

    // MARK: - Tasks

    /// Creates a task that returns the response to a request as data.
    ///
    /// It starts when it is resumed. `limit` is the maximum number of bytes if the whole body is
    /// requested; it does not apply to reading in pieces.
    public func dataTask(
        with request: DownloadRequest,
        limit: Int64 = FetchedData.defaultLimit,
        completionHandler: DataCompletionHandler? = nil
    ) -> DataTask {
        makeTask { place in
            DataTask(request, limit: limit, at: place, completionHandler: completionHandler)
        }
    }

    /// Creates a task that returns the content of a URL as data.
    ///
    /// It starts when it is resumed.
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
