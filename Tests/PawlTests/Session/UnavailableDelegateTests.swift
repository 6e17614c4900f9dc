import Testing

/// Delegates with methods of `URLSession`'s delegate that have no counterpart do not compile.
@Suite(.timeLimit(.minutes(5)))
struct UnavailableDelegateTests {
    /// The methods, with placeholders for the types of the tasks, and part of the compiler's
    /// message.
    private static let methods: [(method: String, message: String)] = [
        (
            "(_ s: DownloadSession, didReceive c: URLAuthenticationChallenge, completionHandler: "
                + "@escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void)",
            "no method answers challenges: use settings.credentials or settings.connection"
        ),
        (
            "(_ s: DownloadSession, didReceive c: URLAuthenticationChallenge) async "
                + "-> (URLSession.AuthChallengeDisposition, URLCredential?)",
            "no method answers challenges: use settings.credentials or settings.connection"
        ),
        (
            "(_ s: DownloadSession, task: TASK, didReceive c: URLAuthenticationChallenge, "
                + "completionHandler: @escaping (URLSession.AuthChallengeDisposition, "
                + "URLCredential?) -> Void)",
            "no method answers challenges: use settings.credentials or settings.connection"
        ),
        (
            "(_ s: DownloadSession, task: TASK, didReceive c: URLAuthenticationChallenge) async "
                + "-> (URLSession.AuthChallengeDisposition, URLCredential?)",
            "no method answers challenges: use settings.credentials or settings.connection"
        ),
        (
            "(_ s: DownloadSession, task: TASK, willPerformHTTPRedirection r: HTTPURLResponse, "
                + "newRequest: URLRequest, "
                + "completionHandler: @escaping @Sendable (URLRequest?) -> Void)",
            "no method decides on redirects: use settings.maximumRedirects"
        ),
        (
            "(_ s: DownloadSession, task: TASK, willPerformHTTPRedirection r: DownloadResponse, "
                + "newRequest: DownloadRequest, "
                + "completionHandler: @escaping (DownloadRequest?) -> Void)",
            "no method decides on redirects: use settings.maximumRedirects"
        ),
        (
            "(_ s: DownloadSession, task: TASK, willPerformHTTPRedirection r: HTTPURLResponse, "
                + "newRequest: URLRequest) async -> URLRequest?",
            "no method decides on redirects: use settings.maximumRedirects"
        ),
        (
            "(_ s: DownloadSession, task: TASK, willBeginDelayedRequest r: URLRequest, "
                + "completionHandler: @escaping (Int, URLRequest?) -> Void)",
            "no method delays a request: use task.earliestBeginDate"
        ),
        (
            "(_ s: DownloadSession, task: TASK, willBeginDelayedRequest r: URLRequest) async "
                + "-> (Int, URLRequest?)",
            "no method delays a request: use task.earliestBeginDate"
        ),
        (
            "(_ s: DownloadSession, task: TASK, "
                + "needNewBodyStream completionHandler: @escaping (InputStream?) -> Void)",
            "no method provides a body: use request.body"
        ),
        (
            "(_ s: DownloadSession, needNewBodyStreamForTask t: TASK) async -> InputStream?",
            "no method provides a body: use request.body"
        ),
        (
            "(_ s: DownloadSession, task: TASK, needNewBodyStreamFrom o: Int64, "
                + "completionHandler: @escaping (InputStream?) -> Void)",
            "no method provides a body: use request.body"
        ),
        (
            "(_ s: DownloadSession, task: TASK, didSendBodyData b: Int64, totalBytesSent: Int64, "
                + "totalBytesExpectedToSend: Int64)",
            "no method reports sent bytes: request.body is sent as a whole"
        ),
        (
            "(_ s: DownloadSession, task: TASK, "
                + "didReceiveInformationalResponse r: HTTPURLResponse)",
            "only the final response is reported, by session(_:task:didReceive:)"
        ),
        (
            "(_ s: DownloadSession, dataTask: DATA, willCacheResponse r: CachedURLResponse, "
                + "completionHandler: @escaping (CachedURLResponse?) -> Void)",
            "a session has no cache of responses: use a DownloadLibrary"
        ),
        (
            "(_ s: DownloadSession, dataTask: DATA, willCacheResponse r: CachedURLResponse) async "
                + "-> CachedURLResponse?",
            "a session has no cache of responses: use a DownloadLibrary"
        ),
        (
            "(_ s: DownloadSession, didCreateTask t: TASK)",
            "no method reports new tasks: use session.allTasks"
        ),
        (
            "(_ s: DownloadSession, dataTask: DATA, didBecome t: FILE)",
            "a data task stays one: use session.downloadTask for a file"
        ),
        (
            "(_ s: DownloadSession, task: TASK, didFinishCollecting m: URLSessionTaskMetrics)",
            "session(_:task:didFinishCollecting:) takes a SessionTask and TaskMetrics"
        ),
    ]

    private static let own = ["SessionTask", "DataTask", "DownloadTask"]
    private static let foreign = [
        "URLSessionTask", "URLSessionDataTask", "URLSessionDownloadTask",
    ]

    @Test(arguments: [("session", own), ("urlSession", own), ("urlSession", foreign)])
    func `each is refused with what to use instead`(name: String, types: [String]) async throws {
        let placeholders = ["TASK", "DATA", "FILE"]
        let mistakes = Self.methods.map { method, message in
            let text = zip(placeholders, types).reduce(method) { text, pair in
                text.replacing("\(pair.0)", with: pair.1)
            }
            return ("func \(name)\(text)", "`\(message)`")
        }
        try await DelegateCompiler.expectRefused(mistakes)
    }

    @Test func `a delegate with methods of its own, or of URLSession's delegate, compiles`()
        async throws
    {
        let text =
            DelegateCompiler.header + """
                final class Console: DownloadSessionDelegate {
                    func session(
                        _ session: DownloadSession,
                        task: SessionTask,
                        didReceive response: DownloadResponse
                    ) -> ResponseDisposition { .allow }
                    func session(
                        _ session: DownloadSession,
                        task: SessionTask,
                        didFinishCollecting metrics: TaskMetrics
                    ) {}
                    func session(
                        _ session: DownloadSession,
                        taskIsWaitingForConnectivity task: SessionTask
                    ) {}
                    func session(
                        _ session: DownloadSession,
                        dataTask: DataTask,
                        didReceive data: [UInt8]
                    ) {}
                    func show(_ challenge: URLAuthenticationChallenge) {}
                }
                final class Both: NSObject, DownloadSessionDelegate, URLSessionTaskDelegate,
                    @unchecked Sendable
                {
                    func urlSession(
                        _ session: URLSession,
                        task: URLSessionTask,
                        willPerformHTTPRedirection response: HTTPURLResponse,
                        newRequest request: URLRequest,
                        completionHandler: @escaping (URLRequest?) -> Void
                    ) { completionHandler(nil) }
                    func urlSession(
                        _ session: URLSession,
                        task: URLSessionTask,
                        didReceive challenge: URLAuthenticationChallenge,
                        completionHandler: @escaping (
                            URLSession.AuthChallengeDisposition, URLCredential?
                        ) -> Void
                    ) { completionHandler(.performDefaultHandling, nil) }
                }
                let session = DownloadSession(delegate: Console())
                let other = DownloadSession(delegate: Both())

                """
        let (isSuccess, output) = try await DelegateCompiler.compile(text)
        #expect(isSuccess, "\(output)")
        #expect(!output.contains("warning:"), "\(output)")
    }
}
