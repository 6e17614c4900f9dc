public import struct FoundationEssentials.Data
public import struct FoundationEssentials.URL
public import PawlCore

// The forms in which `URLSession` returns results: three parameters of a handler, and tuples. A
// program that uses one does not compile, and the compiler's message names what to use.

extension DownloadSession {
    /// A handler of a download, as `URLSession` calls it.
    @_documentation(visibility: internal)
    public typealias ForeignDownloadHandler =
        @Sendable (_ location: URL?, _ response: DownloadResponse?, _ error: (any Error)?) -> Void
    /// A handler of data, as `URLSession` calls it.
    @_documentation(visibility: internal)
    public typealias ForeignDataHandler =
        @Sendable (_ data: Data?, _ response: DownloadResponse?, _ error: (any Error)?) -> Void

    /// Is ``downloadTask(with:to:completionHandler:)-(URL,_,_)``.
    @available(
        *,
        unavailable,
        message: "the handler takes one Result: '{ result in let file = try result.get() }'"
    )
    public func downloadTask(
        with url: URL,
        completionHandler: @escaping ForeignDownloadHandler
    ) -> DownloadTask {
        downloadTask(with: url)
    }

    /// Is ``downloadTask(with:to:completionHandler:)-(DownloadRequest,_,_)``.
    @available(
        *,
        unavailable,
        message: "the handler takes one Result: '{ result in let file = try result.get() }'"
    )
    public func downloadTask(
        with request: DownloadRequest,
        completionHandler: @escaping ForeignDownloadHandler
    ) -> DownloadTask {
        downloadTask(with: request)
    }

    /// Is ``dataTask(with:limit:completionHandler:)-(URL,_,_)``.
    @available(
        *,
        unavailable,
        message: "the handler takes one Result: '{ result in let fetched = try result.get() }'"
    )
    public func dataTask(
        with url: URL,
        completionHandler: @escaping ForeignDataHandler
    ) -> DataTask {
        dataTask(with: url)
    }

    /// Is ``dataTask(with:limit:completionHandler:)-(DownloadRequest,_,_)``.
    @available(
        *,
        unavailable,
        message: "the handler takes one Result: '{ result in let fetched = try result.get() }'"
    )
    public func dataTask(
        with request: DownloadRequest,
        completionHandler: @escaping ForeignDataHandler
    ) -> DataTask {
        dataTask(with: request)
    }

    /// Is ``data(from:limit:)``, which returns one value.
    @available(
        *,
        unavailable,
        message: "use one value, 'let fetched = ...': it has 'data' and the 'response'"
    )
    public func data(from url: URL) async throws(DownloadError) -> (Data, DownloadResponse) {
        let fetched: FetchedData = try await data(from: url)
        return (fetched.data, fetched.response)
    }

    /// Is ``data(for:limit:)``, which returns one value.
    @available(
        *,
        unavailable,
        message: "use one value, 'let fetched = ...': it has 'data' and the 'response'"
    )
    public func data(
        for request: DownloadRequest
    ) async throws(DownloadError) -> (Data, DownloadResponse) {
        let fetched: FetchedData = try await data(for: request)
        return (fetched.data, fetched.response)
    }
}

extension DownloadError {
    /// Is the error's own properties.
    @available(
        *,
        unavailable,
        message: "use 'resumeData', 'url' or 'cause', or 'as NSError' with PawlFoundation"
    )
    public var userInfo: [String: Any] { [:] }
}
