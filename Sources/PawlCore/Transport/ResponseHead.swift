package import struct FoundationEssentials.URL

/// The final head of a response; interim (1xx) heads are not reported.
package struct ResponseHead: Sendable {
    package var url: URL
    package var status: Int
    package var reason: String
    /// The protocol version: `HTTP/1.1`, `HTTP/2` or `HTTP/3`.
    package var protocolVersion: String
    /// The fields as received, in order; repeated fields are separate.
    package var fields: [HTTPField]
    /// The time that it took to make the connection, without resolving the name and without TLS:
    /// one round trip, including queues on its way.
    ///
    /// It is `nil` if the connection was reused.
    package var connectTime: Duration?

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
        fields.filter { $0.hasName(name) }.map(\.value)
    }

    /// The value of that name; several values are joined by commas (RFC 9110 §5.3).
    package subscript(name: String) -> String? {
        var joined: String?
        for index in fields.indices where fields[index].hasName(name) {
            joined = joined.map { $0 + ", " + fields[index].value } ?? fields[index].value
        }
        return joined
    }
}
