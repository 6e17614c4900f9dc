package import struct FoundationEssentials.URL

/// What is done with the content coding of a body (RFC 9110 §8.4).
package enum ContentDecoding: Hashable, Sendable {
    /// The body is passed on as the server sent it, encoded or not.
    case none
    /// The body is decoded.
    case decoded
    /// The body should be decoded, but it has a coding that the transport does not know.
    case impossible
}

/// The final head of a response; interim (1xx) heads are not reported.
package struct ResponseHead: Hashable, Sendable {
    package var url: URL
    package var status: Int
    package var reason: String
    /// The protocol version: `HTTP/1.1`, `HTTP/2` or `HTTP/3`.
    package var protocolVersion: String
    /// The fields as received, in order; repeated fields are separate.
    package var fields: [HTTPField]
    /// Whether it is no response of a server, but leads to HTTPS as the host has demanded (HSTS).
    package var isUpgrade = false
    /// What the transport does with the content coding of the body.
    package var decoding = ContentDecoding.none
    /// The time that it took to make the connection, without resolving the name and without TLS:
    /// one round trip, including queues on its way.
    ///
    /// It is `nil` if the connection was reused.
    package var connectTime: Duration?
    /// This machine's address of the connection; empty if it is not known.
    package var localAddress = ""

    package init(
        url: URL,
        status: Int,
        reason: String = "",
        protocolVersion: String = "HTTP/1.1",
        fields: [HTTPField] = []
    ) {
        self.url = url
        self.status = status
        self.reason = reason
        self.protocolVersion = protocolVersion
        self.fields = fields
    }

    /// Returns the values of all fields of that name, in order.
    package func values(_ name: String) -> [String] {
        fields.values(name)
    }

    /// The value of that name; several values are joined by commas (RFC 9110 §5.3).
    package subscript(name: String) -> String? { fields.value(name) }
}
