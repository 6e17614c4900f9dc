internal import PawlCore

/// A way in which the connection to a server fails, and the code of the error if it is not
/// repeated.
public enum ScriptedFailure: Sendable, CaseIterable {
    /// The name of the host is not known: `.nameNotResolved`.
    case nameNotResolved
    /// The server refuses the connection: `.network`.
    case cannotConnect
    /// The server does not accept the connection in time: `.timedOut`.
    case connectTimedOut
    /// The certificate of the server is not trusted: `.tlsFailed`.
    case certificateRefused
    /// The connection breaks: `.network`.
    case connectionLost

    var outcome: TransferOutcome {
        let kind: TransferFailure.Kind =
            switch self {
            case .nameNotResolved: .nameNotResolved
            case .cannotConnect: .cannotConnect
            case .connectTimedOut: .connectTimedOut
            case .certificateRefused: .certificateRefused
            case .connectionLost: .connectionLost
            }
        return .failed(TransferFailure(kind, "scripted"))
    }
}
