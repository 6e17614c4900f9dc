/// How an exchange ended, and what it took.
package struct TransferEnd: Sendable {
    package var outcome: TransferOutcome
    package var timings: TransferTimings

    package init(_ outcome: TransferOutcome, timings: TransferTimings = TransferTimings()) {
        self.outcome = outcome
        self.timings = timings
    }
}

package enum TransferOutcome: Hashable, Sendable {
    /// The response came whole, as its framing says: its length, its last chunk, or, where it has
    /// neither, a clean close.
    case completed
    /// The sink wanted no more.
    case stopped
    case cancelled
    case failed(TransferFailure)
}

/// Why an exchange broke.
package struct TransferFailure: Hashable, Sendable, Error {
    package enum Kind: String, Sendable, CaseIterable {
        case nameNotResolved, cannotConnect, connectTimedOut
        case certificateRefused, tlsFailed
        /// It leads where the request may not go.
        case addressRefused
        case connectionLost
        /// The body ended before its length or its last chunk.
        case bodyIncomplete
        /// Framing that contradicts itself, a head too large, not HTTP at all.
        case malformedResponse
        case unsupportedURL
        /// The machine or the library: out of memory, a file of authorities that is none.
        case local
    }

    package var kind: Kind
    /// The library's own words, cleaned of control characters.
    package var message: String

    package init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }
}

/// Since the start of the exchange; nil where that point was not reached.
package struct TransferTimings: Hashable, Sendable {
    package var nameResolved: Duration?
    package var connected: Duration?
    package var secured: Duration?
    package var firstByte: Duration?
    package var total: Duration = .zero
    package var reusedConnection = false
    package var remoteAddress: String?

    package init() {}

    /// What the connection took to be made, without the name's lookup and without TLS; nil for one
    /// that was there already.
    package var connectTime: Duration? {
        guard !reusedConnection, let connected else { return nil }
        return connected - (nameResolved ?? .zero)
    }
}
