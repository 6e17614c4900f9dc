import Pawl
import PawlTesting
import Testing

/// Delegates that are optional, or of a class that is not known.
@Suite(.timeLimit(.minutes(5)))
struct AnyDelegateTests {
    private let resource = Resource(size: 100_000)

    @Test func `an optional that is nil creates a session without a delegate`() throws {
        let scene = try SessionScene(.resource(resource))
        let none: RecordingDelegate? = nil
        #expect(DownloadSession(scene.configuration, delegate: none).delegate == nil)
        #expect(DownloadSession(scene.configuration, anyDelegate: nil).delegate == nil)
    }

    @Test(arguments: [false, true])
    func `an optional delegate and one of an unknown class are called`(isAny: Bool) async throws {
        let scene = try SessionScene(.resource(resource))
        let delegate = RecordingDelegate()
        let optional: RecordingDelegate? = delegate
        let unknown: any DownloadSessionDelegate = delegate
        let session =
            isAny
            ? DownloadSession(scene.configuration, anyDelegate: unknown)
            : DownloadSession(scene.configuration, delegate: optional)
        session.downloadTask(with: try scene.url(), to: scene.target()).resume()
        let calls = await delegate.allCalls()
        #expect(calls.contains { if case .finished = $0 { true } else { false } })
    }

    @Test func `an unknown class is refused where the methods are checked`() async throws {
        let text =
            DelegateCompiler.header + """
                final class Console: DownloadSessionDelegate {}
                func make(_ delegate: any DownloadSessionDelegate) -> DownloadSession {
                    DownloadSession(delegate: delegate)
                }
                let session = DownloadSession(anyDelegate: Console())

                """
        let (isSuccess, output) = try await DelegateCompiler.compile(text)
        #expect(!isSuccess)
        let errors = output.split(separator: "\n").filter {
            $0.hasPrefix("/") && $0.contains("error: ")
        }
        #expect(errors.count == 1, "\(output)")
        #expect(errors.first?.contains("main.swift:6:") == true, "\(output)")
    }

    @Test func `a delegate with several mistaken methods is refused by their names`() async throws {
        let text =
            DelegateCompiler.header + """
                final class Mistaken: DownloadSessionDelegate {
                    func session(
                        _ session: DownloadSession,
                        downloadTask: DownloadTask,
                        didFinishDownloadingTo location: URL
                    ) {}
                    func session(
                        _ session: DownloadSession,
                        task: SessionTask,
                        didCompleteWithError error: (any Error)?
                    ) {}
                }
                let delegate: Mistaken? = Mistaken()
                let session = DownloadSession(.default, delegate: Mistaken())
                let other = DownloadSession(.default, delegate: delegate)

                """
        let (isSuccess, output) = try await DelegateCompiler.compile(text)
        #expect(!isSuccess)
        let errors = output.split(separator: "\n").filter {
            $0.hasPrefix("/") && $0.contains("error: ")
        }
        for message in ["takes a DownloadedFile", "takes a DownloadError?"] {
            #expect(errors.count { $0.contains(message) } == 2, "\(output)")
        }
        #expect(!errors.contains { $0.contains("anyDelegate") }, "\(output)")
    }

    @Test(arguments: [1, 2, 3, 5, 8])
    func `any number of mistaken methods is refused by their names`(count: Int) async throws {
        let mistakes = Self.mistakes.prefix(count)
        let text =
            DelegateCompiler.header + """
                final class Mistaken: DownloadSessionDelegate {
                \(mistakes.map(\.method).joined(separator: "\n"))
                }
                let session = DownloadSession(delegate: Mistaken())

                """
        let (isSuccess, output) = try await DelegateCompiler.compile(text)
        #expect(!isSuccess)
        let errors = output.split(separator: "\n").filter {
            $0.hasPrefix("/") && $0.contains("error: ")
        }
        #expect(errors.count == count, "\(output)")
        for (method, message) in mistakes {
            #expect(errors.contains { $0.contains("'`\(message)`'") }, "\(method): \(output)")
        }
    }

    /// Methods that a delegate must not have, and a part of the compiler's message.
    private static let mistakes = [
        (
            method: "func session(_ session: DownloadSession, downloadTask: DownloadTask, "
                + "didFinishDownloadingTo location: URL) {}",
            message: "session(_:downloadTask:didFinishDownloadingTo:) takes a DownloadedFile"
        ),
        (
            method: "func session(_ session: DownloadSession, task: SessionTask, "
                + "didCompleteWithError error: (any Error)?) {}",
            message: "session(_:task:didCompleteWithError:) takes a DownloadError?"
        ),
        (
            method: "func session(_ session: DownloadSession, downloadTask: DownloadTask, "
                + "didWriteData bytesWritten: Int64, totalBytesWritten: Int64, "
                + "totalBytesExpectedToWrite: Int64) {}",
            message: "totalBytesExpectedToWrite is an Int64?"
        ),
        (
            method: "func session(_ session: DownloadSession, dataTask: DataTask, "
                + "didReceive data: Data) {}",
            message: "session(_:dataTask:didReceive:) takes an array of bytes"
        ),
        (
            method: "func session(_ session: DownloadSession, downloadTask: DownloadTask, "
                + "didResumeAtOffset fileOffset: Int64, expectedTotalBytes: Int64) {}",
            message: "expectedTotalBytes is an Int64?"
        ),
        (
            method: "func session(_ session: DownloadSession, "
                + "didBecomeInvalidWithError error: (any Error)?) {}",
            message: "session(_:didBecomeInvalidWithError:) takes a DownloadError?"
        ),
        (
            method: "func urlSessionDidFinishEvents(forBackgroundURLSession session: "
                + "DownloadSession) {}",
            message: "the method is sessionDidFinishEvents(forBackgroundSession:)"
        ),
        (
            method: "func session(_ session: DownloadSession, didReceive challenge: AnyObject) {}",
            message: "no method answers challenges: use settings.credentials or "
                + "settings.connection"
        ),
    ]
}
