internal import PawlCore
internal import PawlWire

/// A set of downloads that share a rate limit.
enum LimitGroup: Hashable, Sendable {
    case session(ExactText)
    case label(ExactText)
}

extension WireDownload {
    /// The groups that the download belongs to.
    var limitGroups: [LimitGroup] {
        [
            session.map { .session(ExactText($0)) }, label.map { .label(ExactText($0)) },
        ].compactMap { $0 }
    }
}
