import PawlTesting
import Testing

/// Delegates whose methods are misspelled, static or throw do not compile.
@Suite(.timeLimit(.minutes(5)))
struct MisspelledDelegateTests {
    /// The right methods.
    private static let methods = [
        "session(_ s: DownloadSession, downloadTask: DownloadTask, "
            + "didWriteData b: Int64, totalBytesWritten: Int64, "
            + "totalBytesExpectedToWrite: Int64?)",
        "session(_ s: DownloadSession, downloadTask: DownloadTask, "
            + "didResumeAtOffset o: Int64, expectedTotalBytes: Int64?)",
        "session(_ s: DownloadSession, downloadTask: DownloadTask, "
            + "didStartOver r: DownloadRestart)",
        "session(_ s: DownloadSession, downloadTask: DownloadTask, "
            + "didFinishDownloadingTo f: DownloadedFile)",
        "session(_ s: DownloadSession, task: SessionTask, "
            + "didCompleteWithError e: DownloadError?)",
        "session(_ s: DownloadSession, dataTask: DataTask, "
            + "didReceive d: [UInt8])",
        "session(_ s: DownloadSession, task: SessionTask, "
            + "didReceive r: DownloadResponse)",
        "session(_ s: DownloadSession, "
            + "taskIsWaitingForConnectivity t: SessionTask)",
        "session(_ s: DownloadSession, task: SessionTask, "
            + "didFinishCollecting m: TaskMetrics)",
        "session(_ s: DownloadSession, "
            + "didBecomeInvalidWithError e: DownloadError?)",
        ""
            + "sessionDidFinishEvents(forBackgroundSession s: DownloadSession)",
    ]

    /// Methods with nearly the types or labels of a right one, and part of the compiler's message.
    private static let misspelled: [(method: String, message: String)] = [
        (
            "session(_ s: DownloadSession, task: SessionTask, "
                + "didCompleteWithError e: DownloadError)",
            "session(_:task:didCompleteWithError:) takes a DownloadError?"
        ),
        (
            "session(_ s: DownloadSession, task: SessionTask, "
                + "didCompleteWithError e: any Error)",
            "session(_:task:didCompleteWithError:) takes a DownloadError?"
        ),
        (
            "session(_ s: DownloadSession, "
                + "didBecomeInvalidWithError e: DownloadError)",
            "session(_:didBecomeInvalidWithError:) takes a DownloadError?"
        ),
        (
            "session(_ s: DownloadSession, downloadTask: DownloadTask, "
                + "didFinishDownloadingTo f: DownloadedFile?)",
            "session(_:downloadTask:didFinishDownloadingTo:) takes a DownloadedFile"
        ),
        (
            "session(_ s: DownloadSession, downloadTask: SessionTask, "
                + "didWriteData b: Int64, totalBytesWritten: Int64, "
                + "totalBytesExpectedToWrite: Int64?)",
            "the type of the task is DownloadTask"
        ),
        (
            "session(_ s: DownloadSession, downloadTask: SessionTask, "
                + "didResumeAtOffset o: Int64, expectedTotalBytes: Int64?)",
            "the type of the task is DownloadTask"
        ),
        (
            "session(_ s: DownloadSession, downloadTask: SessionTask, "
                + "didStartOver r: DownloadRestart)",
            "the type of the task is DownloadTask"
        ),
        (
            "session(_ s: DownloadSession, downloadTask: SessionTask, "
                + "didFinishDownloadingTo f: DownloadedFile)",
            "the type of the task is DownloadTask"
        ),
        (
            "session(_ s: DownloadSession, dataTask: SessionTask, "
                + "didReceive d: [UInt8])",
            "the type of the task is DataTask"
        ),
        (
            "session(_ s: DownloadSession, downloadTask: DownloadTask, "
                + "didFinishDownloading f: DownloadedFile)",
            "the label of the file is didFinishDownloadingTo"
        ),
        (
            "session(_ s: DownloadSession, task: SessionTask, "
                + "didComplete e: DownloadError?)",
            "the label of the error is didCompleteWithError"
        ),
        (
            "session(_ s: DownloadSession, task: SessionTask, "
                + "didFinishCollectingMetrics m: TaskMetrics)",
            "the label of the metrics is didFinishCollecting"
        ),
        (
            "session(_ s: DownloadSession, dataTask: DataTask, "
                + "didReceiveData d: [UInt8])",
            "the label of the data is didReceive"
        ),
        (
            "session(_ s: DownloadSession, task: SessionTask, "
                + "didReceiveResponse r: DownloadResponse)",
            "the label of the response is didReceive"
        ),
        (
            "sessionDidFinishEvents(_ s: DownloadSession)",
            "the method is sessionDidFinishEvents(forBackgroundSession:)"
        ),
    ]

    @Test func `a misspelled method is refused with the right type or label`() async throws {
        try await DelegateCompiler.expectRefused(
            Self.misspelled.map { ("func \($0.method)", "`\($0.message)`") }
        )
    }

    @Test func `a method whose session has a label is refused`() async throws {
        let mistakes = Self.methods.compactMap { method -> (String, String)? in
            guard method.hasPrefix("session(") else { return nil }
            let labelled = method.replacing("_ s: ", with: "session: ")
            return ("func \(labelled)", "`the session has no label: write _ session`")
        }
        #expect(mistakes.count == 10)
        try await DelegateCompiler.expectRefused(mistakes)
    }

    @Test func `each method is refused if it is static`() async throws {
        try await DelegateCompiler.expectRefused(
            Self.methods.map {
                ("static func \($0)", "`the methods of a delegate are not static`")
            }
        )
    }

    @Test(arguments: ["throws", "async throws"])
    func `each method is refused if it throws`(effects: String) async throws {
        try await DelegateCompiler.expectRefused(
            Self.methods.map { ("func \($0) \(effects)", "any Error' and 'Never") }
        )
    }

    @Test func `each method compiles as it is, even if it is async`() async throws {
        var text = DelegateCompiler.header
        for effects in ["", "async"] {
            for (number, method) in Self.methods.enumerated() {
                text += """
                    final class Right\(number)\(effects): DownloadSessionDelegate {
                        func \(method) \(effects) {}
                    }
                    let session\(number)\(effects) = DownloadSession(
                        delegate: Right\(number)\(effects)()
                    )

                    """
            }
        }
        let (isSuccess, output) = try await DelegateCompiler.compile(text)
        #expect(isSuccess, "\(output)")
    }
}
