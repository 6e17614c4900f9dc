import Pawl
import PawlTesting
import Testing

/// Delegates that are `nil`, optional, or of a class that is not known.
@Suite(.timeLimit(.minutes(5)))
struct AnyDelegateTests {
    private let resource = Resource(size: 100_000)

    @Test func `nil creates a session without a delegate`() throws {
        let scene = try SessionScene(.resource(resource))
        let none: RecordingDelegate? = nil
        #expect(DownloadSession(scene.configuration, delegate: nil).delegate == nil)
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
                let none = DownloadSession(.default, delegate: nil)

                """
        let (isSuccess, output) = try await DelegateCompiler.compile(text)
        #expect(!isSuccess)
        let errors = output.split(separator: "\n").filter {
            $0.hasPrefix("/") && $0.contains("error: ")
        }
        #expect(errors.count == 1, "\(output)")
        #expect(errors.first?.contains("use anyDelegate") == true, "\(output)")
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
}
