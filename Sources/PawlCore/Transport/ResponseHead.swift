package import struct FoundationEssentials.URL

/// The final head of a response: interim (1xx) heads are not shown.
package struct ResponseHead: Sendable {
    package var url: URL
    package var status: Int
    package var reason: String
    /// `HTTP/1.1`, `HTTP/2`, `HTTP/3`.
    package var protocolVersion: String
    /// As received, in order, repeated fields apart.
    package var fields: [HTTPField]
    /// What the connection took to be made, without the name's lookup and without TLS: a round trip,
    /// with the queues on its way.
    ///
    /// Nil for one that was there already.
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

    /// The values of all fields of that name, in order.
    package func values(_ name: String) -> [String] {
        fields.filter { $0.hasName(name) }.map(\.value)
    }

    /// The only value of that name; several are joined by a comma (RFC 9110 §5.3).
    package subscript(name: String) -> String? {
        var joined: String?
        for index in fields.indices where fields[index].hasName(name) {
            joined = joined.map { $0 + ", " + fields[index].value } ?? fields[index].value
        }
        return joined
    }
}
