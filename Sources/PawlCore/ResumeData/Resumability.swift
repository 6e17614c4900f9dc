/// Whether a download could be gone on with if it ended now.
public enum Resumability: Hashable, Sendable {
    /// So many bytes would not be fetched again.
    case resumable(from: Int64)
    /// All would be fetched again.
    case notResumable(ResumeObstacle)

    /// Nil where the download is resumable.
    public var obstacle: ResumeObstacle? {
        if case .notResumable(let obstacle) = self { obstacle } else { nil }
    }
}

/// What the answer depends on.
package struct ResumeFacts: Hashable, Sendable {
    package var method = "GET"
    /// What the server said of the file; nil before it said anything.
    package var representation: Representation?
    /// Nil where nothing tells yet.
    package var acceptsRanges: Bool?
    package var receivedBytes: Int64 = 0
    /// The user or a digest answers for what no validator proves.
    package var allowsWeakResume = false
    /// What stood in the way already.
    package var obstacle: ResumeObstacle?

    package init() {}
}

extension Resumability {
    /// The first thing that stands in the way counts.
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
    /// A digest proves at the end what no validator can prove before; or the user says so.
    package var allowsWeakResume: Bool { checksum.isGiven || resumesWithoutValidator }
}
