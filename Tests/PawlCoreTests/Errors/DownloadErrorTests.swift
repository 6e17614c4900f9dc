import FoundationEssentials
import PawlCore
import Testing

/// The error as programs see it.
@Suite(.timeLimit(.minutes(5)))
struct DownloadErrorTests {
    private struct OtherError: Error {}

    @Test func `the text of an error is its message, its context and its advice`() {
        let error = DownloadError(
            .diskFull,
            "no space is left",
            advice: "free some space",
            context: "writing a.iso"
        )
        #expect(error.description == "no space is left - while writing a.iso; free some space")
        let localized: any LocalizedError = error
        #expect(localized.errorDescription == "no space is left - while writing a.iso")
        #expect(localized.recoverySuggestion == "free some space")
        #expect(DownloadError(.diskFull, "full").recoverySuggestion == nil)
    }

    @Test func `any error becomes a download error`() {
        let known = DownloadError(.notFound, "gone")
        #expect(DownloadError(known as any Error).code == .notFound)
        #expect(DownloadError(CancellationError()).code == .interrupted)
        let other = DownloadError(OtherError())
        #expect(other.code == .unknown)
        #expect(other.cause is OtherError)
        #expect(other.message == "OtherError()")
    }

    @Test func `a code prints its name`() {
        #expect("\(ErrorCode.diskFull)" == "disk-full")
    }
}
