/// The failure of a download: what failed, what was being done, and what to do next.
public struct DownloadError: Error, Sendable {
    /// The stable code of the failure.
    public let code: ErrorCode
    /// A description of what failed.
    ///
    /// It contains no secret and no control character.
    public let message: String
    /// Advice on what to do next; empty if there is none.
    public package(set) var advice: String
    /// A description of what was being done: `fetching bytes 4096-8191 of disk.iso from
    /// mirror.example`.
    public var context: String?
    /// When retrying can help.
    ///
    /// The default is the class of the code.
    public let retryClass: RetryClass
    /// The data to resume from later; `nil` if there are none, for the reason in
    /// ``resumeObstacle``.
    public package(set) var resumeData: ResumeData?
    /// The reason why the download cannot be resumed.
    public package(set) var resumeObstacle: ResumeObstacle?
    /// The underlying error of another part of the system, such as an `Errno` or a
    /// ``NetworkFailure``.
    public package(set) var cause: (any Error)?
    /// The HTTP status (RFC 9110 §15), if the server's response was the failure.
    public package(set) var httpStatus: Int?
    /// The delay that the server requested.
    package var retryAfter: Duration?

    /// Whether retrying the same download can help, immediately or later.
    public var isRetryable: Bool { retryClass == .now || retryClass == .later }

    package init(
        _ code: ErrorCode,
        _ message: String,
        advice: String = "",
        context: String? = nil,
        retryClass: RetryClass? = nil,
        retryAfter: Duration? = nil
    ) {
        self.code = code
        self.message = message.sanitized
        self.advice = advice
        self.context = context?.sanitized
        self.retryClass = retryClass ?? code.retryClass
        self.retryAfter = retryAfter
    }

    /// Returns the error for input that cannot be used.
    package static func usage(_ message: String, advice: String = "") -> DownloadError {
        DownloadError(.usage, message, advice: advice)
    }
}

extension DownloadError: CustomStringConvertible {
    /// The error as text: `message - while context; advice`.
    public var description: String {
        var text = message
        if let context { text += " - while \(context)" }
        if !advice.isEmpty { text += "; \(advice)" }
        return text
    }
}
