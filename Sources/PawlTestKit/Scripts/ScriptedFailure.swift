internal import PawlCore

/// A way in which the connection to a server fails.
public enum ScriptedFailure: Sendable, CaseIterable {
    /// The name of the host is not known.
    case nameNotResolved
    /// The server refuses the connection.
    case cannotConnect
    /// The server does not accept the connection in time.
    case connectTimedOut
    /// The certificate of the server is not trusted.
    case certificateRefused
    /// The connection breaks.
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
