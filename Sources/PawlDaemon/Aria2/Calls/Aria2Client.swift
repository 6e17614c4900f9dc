internal import PawlCore
internal import Synchronization

/// The client of one connection: what its secrets allow.
final class Aria2Client: Sendable {
    private let authenticator: RequestAuthenticator
    /// The address at the other end of the connection.
    private let peer: IPAddress?
    /// Records that the connection is authenticated; returns whether there is a slot for it.
    private let hasSlot: @Sendable (Authority) -> Bool
    private let lastKey = Mutex<AccessKeys.UsedKey?>(nil)

    init(
        _ authenticator: RequestAuthenticator,
        peer: IPAddress?,
        hasSlot: @escaping @Sendable (Authority) -> Bool
    ) {
        (self.authenticator, self.hasSlot) = (authenticator, hasSlot)
        self.peer = peer
    }

    /// Returns the client of a request with these fields, which may be behind a proxy.
    ///
    /// `values`: returns the values of a field.
    func sender(_ values: (String) -> [String]) -> RequestClient {
        authenticator.client(from: peer, isSecure: false, values)
    }

    /// Returns the authority that a secret gives; `nil` if it is wrong.
    func authority(of secret: String) throws(Aria2Error) -> Authority? {
        let field = "Bearer \(secret)"
        guard let key = authenticator.keys.judge(authorization: [field], cookies: []).usedKey else {
            return nil
        }
        guard hasSlot(key.authority) else {
            throw Aria2Error(
                "too many connections with this token; close some of them: a token may use up to a "
                    + "quarter of all connections"
            )
        }
        lastKey.withLock { $0 = key }
        return key.authority
    }

    /// Waits before the response to a wrong secret.
    func delayFailure(by address: IPAddress?) async {
        _ = await authenticator.delayFailure(by: address)
    }

    /// Whether the last secret of the client is still valid.
    var isAuthenticated: Bool {
        lastKey.withLock { $0 }.map(authenticator.keys.isStillValid) ?? false
    }
}
