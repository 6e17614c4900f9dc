import PawlCore
import PawlTesting
import Testing

/// How the run that a test is about starts.
enum Start: String, CaseIterable, Sendable, CustomStringConvertible {
    /// With nothing.
    ///
    /// The first response breaks, so that even one connection requests ranges.
    case fresh
    /// With what an interrupted run left.
    case resumed

    var description: String { rawValue }
}

extension Scene {
    /// One connection, and four.
    static let connectionCounts = [1, 4]

    /// Creates the state before the run from `resource`.
    ///
    /// From then on requests get `reply`.
    func begin(
        _ start: Start,
        of resource: Resource,
        _ settings: DownloadSettings,
        then reply: Reply
    ) async throws {
        switch start {
        case .fresh:
            let first = Reply.resource(resource).afterBytes(2 * Self.heldBytes, .reset)
            serve(reply.choosing(first) { $0.ordinal == 1 })
        case .resumed:
            try await interrupt(.resource(resource), settings)
            serve(reply)
        }
    }
}
