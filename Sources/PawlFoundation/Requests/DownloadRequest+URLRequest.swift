public import Foundation
public import Pawl
internal import PawlCore

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

extension DownloadRequest {
    /// Creates a request from one of Foundation.
    ///
    /// The method, the fields, the body and these properties are used:
    ///
    /// | of `URLRequest` | here |
    /// | --- | --- |
    /// | `timeoutInterval`, if it is not 60 s, the default | the setting `stallTimeout`, because both limit the time without any byte; the session's setting otherwise |
    /// | `allowsCellularAccess`, or Apple's `allowsExpensiveNetworkAccess`, if it is `false` | the setting `allowsExpensiveNetwork` |
    /// | `cachePolicy` | nothing, because Pawl keeps no cache of responses: the request is always sent; `reloadIgnoringLocalAndRemoteCacheData` also adds `Cache-Control: no-cache` for the caches between here and the server |
    ///
    /// The properties that are only hints are ignored: `networkServiceType`,
    /// `httpShouldUsePipelining` and `mainDocumentURL`.
    ///
    /// - Throws: `DownloadError` with the code `.usage` if something cannot be converted: a missing
    /// URL, a body stream (`httpBodyStream`), `httpShouldHandleCookies` if it is `false`, and the
    /// cache policy `returnCacheDataDontLoad`.
    public init(_ request: URLRequest) throws(DownloadError) {
        guard let url = request.url else {
            throw .usage("the URLRequest has no URL", advice: "set its url")
        }
        try Self.requireCarried(request)
        self.init(url)
        method = request.httpMethod ?? "GET"
        fields = (request.allHTTPHeaderFields ?? [:]).sorted { $0.key < $1.key }
            .map { HTTPField(name: $0.key, value: $0.value) }
        body = request.httpBody.map { Array($0) } ?? []
        if request.cachePolicy == .reloadIgnoringLocalAndRemoteCacheData,
            value(forHTTPHeaderField: "Cache-Control") == nil
        {
            setValue("no-cache", forHTTPHeaderField: "Cache-Control")
        }
        let timeout = request.timeoutInterval
        if timeout != URLRequest.usualTimeout, timeout > 0 {
            adjust { $0.stallTimeout = .seconds(min(timeout, 1e9)) }
        }
        if !request.allowsExpensiveNetwork { adjust { $0.allowsExpensiveNetwork = false } }
    }

    /// The body as `Data`; `nil` if there is none.
    ///
    /// It is the same as `DownloadRequest/body`, which holds bytes.
    public var httpBody: Data? {
        get { body.isEmpty ? nil : Data(body) }
        set { body = newValue.map { Array($0) } ?? [] }
    }

    private static func requireCarried(_ request: URLRequest) throws(DownloadError) {
        if request.httpBodyStream != nil {
            throw .usage(
                "the URLRequest has a body stream (httpBodyStream), which cannot be sent again",
                advice: "set httpBody to the stream's bytes"
            )
        }
        if !request.httpShouldHandleCookies {
            throw .usage(
                "the URLRequest must be sent without cookies (httpShouldHandleCookies)",
                advice: "leave the property as it is, and use a session that keeps no cookies"
            )
        }
        if request.cachePolicy == .returnCacheDataDontLoad {
            throw .usage(
                "the URLRequest must be answered from a cache (returnCacheDataDontLoad)",
                advice: "use another cache policy: Pawl keeps no cache of responses"
            )
        }
    }
}

extension URLRequest {
    /// Creates Foundation's form of a request.
    ///
    /// It contains the URL, the method, the fields, the body and, if the request changes settings,
    /// `stallTimeout` as the `timeoutInterval` and `allowsExpensiveNetwork` as
    /// `allowsCellularAccess`. Fields of the same name are joined by commas. The fields of the
    /// settings, and everything that `URLRequest` has no property for, are left out.
    public init(_ request: DownloadRequest) {
        self.init(url: request.url)
        httpMethod = request.method
        for field in request.fields { addValue(field.value, forHTTPHeaderField: field.name) }
        httpBody = request.httpBody
        guard request.adjustment != nil else { return }
        let settings = request.settings(over: DownloadSettings())
        timeoutInterval = settings.stallTimeout.seconds
        allowsCellularAccess = settings.allowsExpensiveNetwork
    }

    /// The `timeoutInterval` of a request for which none was set.
    fileprivate static let usualTimeout: TimeInterval = 60

    fileprivate var allowsExpensiveNetwork: Bool {
        #if canImport(FoundationNetworking)
        return allowsCellularAccess
        #else
        return allowsCellularAccess && allowsExpensiveNetworkAccess
        #endif
    }
}
