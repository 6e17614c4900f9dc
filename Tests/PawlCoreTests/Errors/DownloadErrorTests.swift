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

    @Test func `errors are equal if all is equal but the cause`() throws {
        let error = DownloadError(.notFound, "gone", advice: "look", context: "fetching a.iso")
        var other = error
        other.cause = OtherError()
        #expect(other == error && other.hashValue == error.hashValue)
        let changes: [(inout DownloadError) -> Void] = [
            { $0.context = nil }, { $0.httpStatus = 404 }, { $0.resumeObstacle = .noRanges },
            { $0.retryAfter = .seconds(1) }, { $0.guidance = "look again" },
            { $0.url = URL(string: "http://example.org/a.iso") },
            { error in
                let head = ResponseHead(url: URL(filePath: "/a"), status: 404, fields: [])
                error.errorResponse = ErrorResponse(
                    DownloadResponse(head),
                    body: [1],
                    isWhole: true
                )
            },
        ]
        for (index, change) in changes.enumerated() {
            var other = error
            change(&other)
            #expect(other != error, "\(index)")
        }
        #expect(DownloadError(.notFound, "a") != DownloadError(.notFound, "b"))
        #expect(DownloadError(.notFound, "a") != DownloadError(.network, "a"))
        #expect(
            DownloadError(.network, "a", retryClass: .never) != DownloadError(.network, "a")
        )
    }

    @Test func `a decoded error is equal to the original`() throws {
        var error = DownloadError(.notFound, "gone", advice: "look", context: "fetching a.iso")
        error.httpStatus = 404
        error.url = URL(string: "http://example.org/a.iso?x")
        let json = try JSONEncoder().encode(error)
        #expect(try JSONDecoder().decode(DownloadError.self, from: json) == error)
    }

    @Test func `a code prints its name`() {
        #expect("\(ErrorCode.diskFull)" == "disk-full")
    }
}
