/// The end of an exchange and its measurements.
package struct TransferEnd: Sendable {
    package var outcome: TransferOutcome
    package var timings: TransferTimings

    package init(_ outcome: TransferOutcome, timings: TransferTimings = TransferTimings()) {
        self.outcome = outcome
        self.timings = timings
    }
}

package enum TransferOutcome: Hashable, Sendable {
    /// The response is complete according to its framing: its length, its last chunk, or, if it has
    /// neither, a clean close.
    case completed
    /// The sink refused further bytes.
    case stopped
    case cancelled
    case failed(TransferFailure)
}

/// The reason why an exchange failed.
package struct TransferFailure: Hashable, Sendable, Error {
    package enum Kind: String, Sendable, CaseIterable {
        case nameNotResolved, cannotConnect, connectTimedOut
        case proxyNotResolved
        /// The environment names a proxy that is not one; the message is the reason.
        case proxyUnusable
        /// The proxy did not connect to the server.
        case proxyRefused
        /// The proxy did not accept the name and password, or requires some.
        case proxyUnauthorized
        /// The network interface or the address from which to connect cannot be used.
        case interfaceFailed
        case certificateRefused, tlsFailed
        /// The server has a public key that is not pinned.
        case keyRefused
        /// The SSH server's key is not among those of known hosts; the message is its type and
        /// fingerprint.
        case hostKeyUnknown
        /// The SSH server's key has changed.
        case hostKeyChanged
        /// The server requires a certificate of the client.
        case certificateRequired
        /// The server has accepted the login, but sends no byte of the file, which may be a folder.
        case fileNotSent
        /// The client's certificate or its key cannot be used: for example, the key is encrypted.
        case clientKeyUnusable
        /// The file of names and passwords is not valid; the message is its path.
        case passwordFileUnusable
        /// The file of certificate authorities is not valid; the message is its path and the reason.
        case authoritiesUnusable
        /// The address is forbidden to the request.
        case addressRefused
        case connectionLost
        /// The body ended before its length or its last chunk.
        case bodyIncomplete
        /// A few encoded bytes have become too many to hold for a slow reader.
        case expandsTooMuch
        /// The encoded body is damaged, or has another form than libcurl decodes.
        case undecodable
        /// The framing contradicts itself, the head is too large, or the response is not HTTP.
        case malformedResponse
        /// The body of the request cannot be read, or has another length than announced.
        case bodyUnreadable
        /// The body of the request must be sent again, but cannot be read a second time.
        case bodyNotRepeatable
        case unsupportedURL
        /// There are credentials for a storage service, but they cannot be used; the message is the
        /// reason.
        case credentialsUnusable
        /// The system's libcurl lacks a part that a setting requires.
        case notBuiltIn
        /// A test has scripted no response for the request.
        case notScripted
        /// A failure of the machine or the library, such as missing memory.
        case local

        /// Whether a server that limits the number of connections may have refused one in this way.
        package var mayBeRefusal: Bool {
            [.cannotConnect, .connectionLost, .bodyIncomplete, .tlsFailed].contains(self)
        }
    }

    package var kind: Kind
    /// The library's own message, without control characters.
    package var message: String
    /// What has to be decided about: the fingerprint of an unknown host key, or the path of an
    /// encrypted key for SSH; `nil` for other failures.
    package var subject: String?
    /// Whether the proxy has failed, and not the server.
    package var isOfProxy = false

    package init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }
}

/// The times since the start of the exchange; `nil` if a point was not reached.
package struct TransferTimings: Hashable, Sendable {
    package var nameResolved: Duration?
    package var connected: Duration?
    package var secured: Duration?
    package var firstByte: Duration?
    package var total: Duration = .zero
    package var reusedConnection = false
    package var remoteAddress: String?

    package init() {}

    /// The time that it took to make the connection, without resolving the name and without TLS;
    /// `nil` if the connection was reused.
    package var connectTime: Duration? {
        guard !reusedConnection, let connected else { return nil }
        return connected - (nameResolved ?? .zero)
    }
}
