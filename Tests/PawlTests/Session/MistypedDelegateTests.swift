import Glibc
import PawlTesting
import Testing

/// Delegates with the names or types of `URLSession`'s delegate do not compile.
@Suite(.timeLimit(.minutes(5)))
struct MistypedDelegateTests {
    private static let header = """
        import Foundation
        import Pawl

        """

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
        var text = Self.header
        for (number, mistake) in Self.mistakes.enumerated() {
            text += """
                final class Mistaken\(number): DownloadSessionDelegate {
                    func \(mistake.method) {}
                }
                let session\(number) = DownloadSession(delegate: Mistaken\(number)())

                """
        }
        let (isSuccess, output) = try await compile(text)
        #expect(!isSuccess)
        let lines = output.split(separator: "\n")
        for (number, mistake) in Self.mistakes.enumerated() {
            // Each class has three lines, and its use is in the fourth.
            let position = "main.swift:\(3 + 4 * number + 3):"
            let error = lines.first { $0.contains(position) && $0.contains("error: ") }
            #expect(
                error?.contains("'`\(mistake.message)`'") == true,
                "\(mistake.method): \(output)"
            )
        }
    }

    @Test func `a delegate of the main actor compiles, also where that is the default isolation`()
        async throws
    {
        let text =
            Self.header + """
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
        let (isSuccess, output) = try await compile(text, options)
        #expect(isSuccess, "\(output)")
        #expect(!output.contains("warning:"), "\(output)")
    }

    private func compile(
        _ text: String,
        _ options: [String] = []
    ) async throws -> (isSuccess: Bool, output: String) {
        let folder = try ScratchFolder()
        try folder.write("main.swift", text)
        // Of the C modules, the package's own and those of swift-system are needed.
        let root = "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        let sources = "\(root)/Sources"
        let checkouts = "\(BuiltProduct.folder)/../../checkouts"
        let modules = [
            "\(BuiltProduct.folder)/Modules",
            "\(checkouts)/swift-system/Sources/CSystem/include",
            "\(sources)/CCrypto", "\(sources)/CCurl", "\(sources)/CExpat", "\(sources)/CPlatform",
        ]
        let compiler = try ProcessRunner(
            "/usr/bin/env",
            ["swiftc", "-typecheck", "-swift-version", "6"] + modules.flatMap { ["-I", $0] }
                + options + [folder.path("main.swift")]
        )
        let status = await compiler.waitForExit()
        #expect(!compiler.reachedTimeLimit)
        return (status.isSuccess, compiler.output + compiler.errors)
    }
}
