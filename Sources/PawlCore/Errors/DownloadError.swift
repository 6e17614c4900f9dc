/// Why a download did not end well: what failed, while doing what, and what to do next.
public struct DownloadError: Error, Sendable {
    /// The stable kind.
    public let code: ErrorCode
    /// What failed, for people.
    ///
    /// Holds no secret and no control character.
    public let message: String
    /// What to do next, for people; empty where nothing is to be said.
    public package(set) var advice: String
    /// While doing what: `fetching bytes 4096-8191 of disk.iso from mirror.example`.
    public var context: String?
    /// When trying again makes sense; by default the code's own class.
    public let retryClass: RetryClass
    /// What to go on with later; nil where there is nothing, and ``resumeObstacle`` says why.
    public package(set) var resumeData: ResumeData?
    /// Why there is nothing to go on with.
    public package(set) var resumeObstacle: ResumeObstacle?
    /// What it came from, where another part of the system failed: an `Errno`, a ``NetworkFailure``.
    public package(set) var cause: (any Error)?
    /// The status that the server answered (RFC 9110 §15), where that was the failure.
    public package(set) var httpStatus: Int?
    /// How long the server asked to wait.
    package var retryAfter: Duration?

    /// Whether trying the same again may help, at once or later.
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
}

extension DownloadError: CustomStringConvertible {
    /// `message - while context; advice`.
    public var description: String {
        var text = message
        if let context { text += " - while \(context)" }
        if !advice.isEmpty { text += "; \(advice)" }
        return text
    }
}
