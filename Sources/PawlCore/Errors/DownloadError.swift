public import protocol FoundationEssentials.LocalizedError
public import struct FoundationEssentials.URL

/// The failure of a download: what failed, what was being done, and what to do next.
///
/// Two errors are equal if all of their properties are, apart from ``cause``, which may be any error
/// and is not compared. To find out what has failed, compare the ``code`` alone: the same failure of
/// two downloads has different texts.
public struct DownloadError: Error, Sendable {
    /// The stable code of the failure.
    public let code: ErrorCode
    /// A description of what failed.
    ///
    /// It contains no secret and no control character.
    public let message: String
    /// Advice on what to do next, in the library's terms; empty if there is no advice.
    ///
    /// It names settings by their properties in ``DownloadSettings``: *raise `maximumDuration`*.
    public var advice: String { guidance.text(for: .library) }
    /// The advice for all readers.
    package var guidance: Advice
    /// A description of what was being done: `fetching bytes 4096-8191 of disk.iso from
    /// mirror.example`.
    public var context: String?
    /// When retrying can help.
    ///
    /// The default is the class of the code.
    public let retryClass: RetryClass
    /// The data from which the download can be resumed later; `nil` if there is no such data.
    public package(set) var resumeData: ResumeData?
    /// The reason why there are no ``resumeData``; `nil` if there are, and if there was no download
    /// to resume: it was cancelled, or no request was sent.
    public package(set) var resumeObstacle: ResumeObstacle?
    /// The underlying error of another part of the system, such as an `Errno` or a
    /// ``NetworkFailure``.
    public package(set) var cause: (any Error)?
    /// The HTTP status (RFC 9110 §15), if the server's response was the failure.
    public package(set) var httpStatus: Int?
    /// The URL of the request that failed, without user and fragment; `nil` if no request was the
    /// failure.
    ///
    /// Its query may contain secrets, which the other texts hide.
    public package(set) var url: URL?
    /// The response with which the server refused the request; `nil` if that was not the failure.
    ///
    /// In a background session, the response has only the header fields that describe the file, and
    /// the daemon keeps the newest 1,000 responses until the failures are reported.
    public package(set) var errorResponse: ErrorResponse? {
        get { refusal?.response }
        set { refusal = newValue.map(Refusal.init) }
    }
    private var refusal: Refusal?
    /// The delay that the server requested with `Retry-After` (RFC 9110 §10.2.3); `nil` if it
    /// requested none.
    public package(set) var retryAfter: Duration?

    /// A response outside the error, which is passed on often and rarely has one.
    private final class Refusal: Sendable {
        let response: ErrorResponse

        init(_ response: ErrorResponse) { self.response = response }
    }

    /// Whether retrying the same download can help, immediately or later.
    public var isRetryable: Bool { retryClass == .now || retryClass == .later }

    package init(
        _ code: ErrorCode,
        _ message: String,
        advice: Advice = "",
        context: String? = nil,
        retryClass: RetryClass? = nil,
        retryAfter: Duration? = nil
    ) {
        self.code = code
        self.message = message.sanitized
        guidance = advice
        self.context = context?.sanitized
        self.retryClass = retryClass ?? code.retryClass
        self.retryAfter = retryAfter
    }

    /// Converts any error, such as one that a `Task` threw.
    ///
    /// A `DownloadError` stays as it is. A ``ResumeObstacle`` gets the code
    /// ``ErrorCode/notResumable``, and a `CancellationError` the code ``ErrorCode/interrupted``. Any
    /// other error becomes the ``cause`` of an error with the code ``ErrorCode/unknown``.
    public init(_ error: any Error) {
        if let error = error as? DownloadError {
            self = error
        } else if let obstacle = error as? ResumeObstacle {
            self.init(obstacle, context: nil)
        } else if error is CancellationError {
            self.init(.interrupted, "the operation was cancelled")
        } else {
            self.init(.unknown, "\(error)")
            cause = error
        }
    }

    /// Returns the error with the URL of its request, unless it has one.
    package func about(_ url: URL) -> DownloadError {
        var error = self
        // A URL that cannot be parsed was the failure itself, and the message shows it.
        error.url = self.url ?? (try? SourceURL.parse(url.absoluteString, known: url))?.url
        return error
    }

    /// Returns the error for input that cannot be used.
    package static func usage(_ message: String, advice: Advice = "") -> DownloadError {
        DownloadError(.usage, message, advice: advice)
    }
}

extension DownloadError: CustomStringConvertible {
    /// The error as text: `message - while context; advice`.
    public var description: String { text(for: .library) }

    /// Returns the error as text, with the advice in the words of a reader.
    package func text(for reader: AdviceReader) -> String {
        guidance.isEmpty ? failure : "\(failure); \(guidance.text(for: reader))"
    }

    /// The error as text without the advice.
    package var failure: String {
        if let context { "\(message) - while \(context)" } else { message }
    }
}

extension DownloadError: LocalizedError {
    /// What failed, and what was being done; the text of `localizedDescription`.
    public var errorDescription: String? { failure }

    /// What failed: the ``message``.
    public var failureReason: String? { message }

    /// Advice on what to do next; `nil` if there is none.
    public var recoverySuggestion: String? { advice.isEmpty ? nil : advice }
}
