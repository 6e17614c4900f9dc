/// Whether a download could be resumed if it ended now.
public enum Resumability: Hashable, Sendable {
    /// This number of bytes would not be fetched again.
    case resumable(from: Int64)
    /// All bytes would be fetched again, for this reason.
    case notResumable(ResumeObstacle)

    /// The reason; `nil` if the download can be resumed.
    public var obstacle: ResumeObstacle? {
        if case .notResumable(let obstacle) = self { obstacle } else { nil }
    }
}

/// The facts on which the answer depends.
package struct ResumeFacts: Hashable, Sendable {
    package var method = "GET"
    /// The server's description of the file; `nil` before its first response.
    package var representation: Representation?
    /// Whether the server accepts ranges; `nil` if it is not known yet.
    package var acceptsRanges: Bool?
    package var receivedBytes: Int64 = 0
    /// Whether resuming is allowed without a validator, by the user or because of a digest.
    package var allowsWeakResume = false
    /// An obstacle that was found already.
    package var obstacle: ResumeObstacle?

    package init() {}
}

extension Resumability {
    /// Decides by the first obstacle.
    package init(_ facts: ResumeFacts) {
        if let obstacle = facts.obstacle ?? Self.obstacle(facts) {
            self = .notResumable(obstacle)
        } else {
            self = .resumable(from: facts.receivedBytes)
        }
    }

    private static func obstacle(_ facts: ResumeFacts) -> ResumeObstacle? {
        if facts.method != "GET" { return .notGET }
        guard let representation = facts.representation else { return .nothingReceived }
        if representation.contentEncoding != nil { return .encoded }
        if facts.acceptsRanges == false { return .noRanges }
        if facts.receivedBytes <= 0 { return .nothingReceived }
        let strength = representation.validatorStrength
        if strength == .strong { return nil }
        guard facts.allowsWeakResume else {
            return strength == .weak ? .weakValidatorOnly : .noValidator
        }
        return representation.total == nil ? .lengthUnknown : nil
    }
}

extension DownloadSettings {
    /// Whether resuming is allowed without a validator: a digest proves the file at the end, or the
    /// user allows it.
    package var allowsWeakResume: Bool { checksum.isGiven || resumesWithoutValidator }
}
