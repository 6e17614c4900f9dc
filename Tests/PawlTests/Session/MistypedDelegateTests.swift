import Testing

/// Delegates with the names or types of `URLSession`'s delegate do not compile.
@Suite(.timeLimit(.minutes(5)))
struct MistypedDelegateTests {
    /// A method that a session would never call, and part of the compiler's message.
    private static let mistakes: [(method: String, message: String)] = [
        (
            "session(_ s: DownloadSession, downloadTask: DownloadTask, didFinishDownloadingTo l: URL)",
            "session(_:downloadTask:didFinishDownloadingTo:) takes a DownloadedFile"
        ),
        (
            "session(_ s: DownloadSession, downloadTask: DownloadTask, "
                + "didFinishDownloadingTo l: String)",
            "session(_:downloadTask:didFinishDownloadingTo:) takes a DownloadedFile"
        ),
        (
            "session(_ s: DownloadSession, task: SessionTask, "
                + "didFinishDownloadingTo f: DownloadedFile)",
            "session(_:downloadTask:didFinishDownloadingTo:) takes a DownloadTask"
        ),
        (
            "session(_ s: DownloadSession, downloadTask: DownloadTask, didWriteData b: Int64, "
                + "totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64)",
            "totalBytesExpectedToWrite is an Int64?"
        ),
        (
            "session(_ s: DownloadSession, downloadTask: DownloadTask, didResumeAtOffset o: Int64, "
                + "expectedTotalBytes: Int64)",
            "expectedTotalBytes is an Int64?"
        ),
        (
            "session(_ s: DownloadSession, task: SessionTask, didCompleteWithError e: (any Error)?)",
            "session(_:task:didCompleteWithError:) takes a DownloadError?"
        ),
        (
            "session(_ s: DownloadSession, task: DownloadTask, "
                + "didCompleteWithError e: DownloadError?)",
            "session(_:task:didCompleteWithError:) takes a SessionTask"
        ),
        (
            "session(_ s: DownloadSession, task: DownloadTask, "
                + "didCompleteWithError e: (any Error)?)",
            "session(_:task:didCompleteWithError:) takes a SessionTask and a DownloadError?"
        ),
        (
            "session(_ s: DownloadSession, dataTask: DataTask, didReceive d: Data)",
            "session(_:dataTask:didReceive:) takes an array of bytes"
        ),
        (
            "session(_ s: DownloadSession, dataTask: DataTask, didReceive r: DownloadResponse)",
            "session(_:task:didReceive:) takes a SessionTask"
        ),
        (
            "session(_ s: DownloadSession, task: SessionTask, didReceive r: DownloadResponse, "
                + "completionHandler: @escaping (ResponseDisposition) -> Void)",
            "session(_:task:didReceive:) returns a ResponseDisposition"
        ),
        (
            "session(_ s: DownloadSession, dataTask: DataTask, didReceive r: DownloadResponse, "
                + "completionHandler: @escaping (ResponseDisposition) -> Void)",
            "session(_:task:didReceive:) returns a ResponseDisposition"
        ),
        (
            "session(_ s: DownloadSession, didBecomeInvalidWithError e: (any Error)?)",
            "session(_:didBecomeInvalidWithError:) takes a DownloadError?"
        ),
        (
            "urlSession(_ s: DownloadSession, downloadTask: DownloadTask, "
                + "didFinishDownloadingTo f: DownloadedFile)",
            "the methods begin with session, not urlSession"
        ),
        (
            "urlSession(_ s: DownloadSession, downloadTask: DownloadTask, "
                + "didFinishDownloadingTo l: URL)",
            "session(_:downloadTask:didFinishDownloadingTo:) takes a DownloadedFile"
        ),
        (
            "urlSession(_ s: DownloadSession, downloadTask: DownloadTask, didWriteData b: Int64, "
                + "totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64)",
            "the methods begin with session, not urlSession"
        ),
        (
            "urlSession(_ s: DownloadSession, downloadTask: DownloadTask, didWriteData b: Int64, "
                + "totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64?)",
            "the methods begin with session, not urlSession"
        ),
        (
            "urlSession(_ s: DownloadSession, task: SessionTask, "
                + "didCompleteWithError e: (any Error)?)",
            "session(_:task:didCompleteWithError:) takes a DownloadError?"
        ),
        (
            "urlSession(_ s: DownloadSession, task: SessionTask, "
                + "didCompleteWithError e: DownloadError?)",
            "the methods begin with session, not urlSession"
        ),
        (
            "sessionDidFinishEvents(forBackgroundURLSession s: DownloadSession)",
            "the method is sessionDidFinishEvents(forBackgroundSession:)"
        ),
        (
            "urlSession(_ s: DownloadSession, downloadTask: DownloadTask, "
                + "didResumeAtOffset x: Int64, expectedTotalBytes: Int64)",
            "the methods begin with session, not urlSession"
        ),
        (
            "urlSession(_ s: DownloadSession, downloadTask: DownloadTask, "
                + "didResumeAtOffset x: Int64, expectedTotalBytes: Int64?)",
            "the methods begin with session, not urlSession"
        ),
        (
            "urlSession(_ s: DownloadSession, taskIsWaitingForConnectivity x: "
                + "SessionTask)",
            "the methods begin with session, not urlSession"
        ),
        (
            "urlSession(_ s: DownloadSession, task: SessionTask, didFinishCollecting "
                + "x: TaskMetrics)",
            "the methods begin with session, not urlSession"
        ),
        (
            "urlSession(_ s: DownloadSession, didBecomeInvalidWithError x: (any "
                + "Error)?)",
            "the methods begin with session, not urlSession"
        ),
        (
            "urlSession(_ s: DownloadSession, didBecomeInvalidWithError x: "
                + "DownloadError?)",
            "the methods begin with session, not urlSession"
        ),
        (
            "urlSessionDidFinishEvents(forBackgroundURLSession x: DownloadSession)",
            "the method is sessionDidFinishEvents(forBackgroundSession:)"
        ),
        (
            "urlSession(_ s: DownloadSession, dataTask: DataTask, didReceive x: "
                + "DownloadResponse, completionHandler: @escaping (ResponseDisposition) -> "
                + "Void)",
            "session(_:task:didReceive:) returns a ResponseDisposition"
        ),
        (
            "urlSession(_ s: DownloadSession, dataTask: DataTask, didReceive x: Data)",
            "the methods begin with session, not urlSession"
        ),
        (
            "session(_ s: DownloadSession, downloadTask: DownloadTask, "
                + "didCompleteWithError x: DownloadError?)",
            "session(_:task:didCompleteWithError:) takes a SessionTask"
        ),
        (
            "session(_ s: DownloadSession, downloadTask: DownloadTask, "
                + "didFinishCollecting x: TaskMetrics)",
            "session(_:task:didFinishCollecting:) takes a SessionTask"
        ),
        (
            "session(_ s: DownloadSession, task: DownloadTask, didFinishDownloadingTo "
                + "x: DownloadedFile)",
            "the label of the task is downloadTask"
        ),
        (
            "session(_ s: DownloadSession, taskIsWaitingForConnectivity x: "
                + "DownloadTask)",
            "session(_:taskIsWaitingForConnectivity:) takes a SessionTask"
        ),
        (
            "sessionDidFinishEvents(for x: DownloadSession)",
            "the method is sessionDidFinishEvents(forBackgroundSession:)"
        ),
        (
            "session(_ s: DownloadSession, downloadTask: DownloadTask, didWriteData b: Int, "
                + "totalBytesWritten: Int, totalBytesExpectedToWrite: Int?)",
            "the numbers of bytes are Int64, the total an Int64?"
        ),
        (
            "session(_ s: DownloadSession, downloadTask: DownloadTask, didWriteData b: Int, "
                + "totalBytesWritten: Int, totalBytesExpectedToWrite: Int)",
            "the numbers of bytes are Int64, the total an Int64?"
        ),
        (
            "session(_ s: DownloadSession, downloadTask: DownloadTask, didResumeAtOffset o: Int, "
                + "expectedTotalBytes: Int?)",
            "the numbers of bytes are Int64, the total an Int64?"
        ),
        (
            "session(_ s: DownloadSession, downloadTask: DownloadTask, didResumeAtOffset o: Int, "
                + "expectedTotalBytes: Int)",
            "the numbers of bytes are Int64, the total an Int64?"
        ),
    ]

    @Test func `each of URLSession's methods is refused with the name of the right one`()
        async throws
    {
        try await DelegateCompiler.expectRefused(
            Self.mistakes.map { ("func \($0.method)", "`\($0.message)`") }
        )
    }

    @Test func `a delegate of the main actor compiles, even where that is the default isolation`()
        async throws
    {
        let text =
            DelegateCompiler.header + """
                @MainActor
                final class Window: DownloadSessionDelegate {
                    var files: [String] = []

                    func session(
                        _ session: DownloadSession,
                        downloadTask: DownloadTask,
                        didFinishDownloadingTo file: DownloadedFile
                    ) {
                        files.append(file.path)
                    }

                    func session(
                        _ session: DownloadSession,
                        task: SessionTask,
                        didReceive response: DownloadResponse
                    ) -> ResponseDisposition {
                        files.isEmpty ? .allow : .cancel
                    }
                }
                let session = DownloadSession(.default, delegate: Window())

                """
        let options = [
            "-default-isolation", "MainActor",
            "-enable-upcoming-feature", "InferIsolatedConformances",
            "-enable-upcoming-feature", "NonisolatedNonsendingByDefault",
        ]
        let (isSuccess, output) = try await DelegateCompiler.compile(text, options)
        #expect(isSuccess, "\(output)")
        #expect(!output.contains("warning:"), "\(output)")
    }
}
