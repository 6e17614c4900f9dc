package import PawlCore
internal import PawlStorage

/// Signs requests with AWS Signature Version 4, in header fields.
///
/// libcurl can do so, too, but not well enough in Debian 12 (7.88): it signs the query and the path
/// as they are given, while the server sorts the one and encodes the other.
package struct RequestSignature {
    /// What is signed of a request.
    package struct Content {
        package var method = "GET"
        /// The host as in the field `Host`: with the port if that is not the usual one.
        package var host: String
        /// The path as it is sent: percent-encoded as in `percentEncoded(except: "/")`.
        package var path: String
        /// The names and values of the query, not encoded.
        package var query: [(name: String, value: String)] = []
        /// The fields to sign.
        package var fields: [HTTPField] = []
        /// The value of `x-amz-content-sha256`: the digest of the body in hexadecimal, or a word.
        package var payload = Self.unsigned

        /// The word for a body that is not signed; TLS protects it, and a download sends none.
        package static let unsigned = "UNSIGNED-PAYLOAD"

        package init(
            method: String = "GET",
            host: String,
            path: String,
            query: [(name: String, value: String)] = []
        ) {
            (self.method, self.host, self.path, self.query) = (method, host, path, query)
        }
    }

    private static let algorithm = "AWS4-HMAC-SHA256"

    private let credentials: S3Credentials
    private let region: String
    private let service: String

    package init(_ credentials: S3Credentials, region: String, service: String = "s3") {
        (self.credentials, self.region, self.service) = (credentials, region, service)
    }

    /// Returns the fields that sign a request at a time in seconds since 1970; `nil` if the system's
    /// library cannot compute SHA-256.
    package func fields(for content: Content, at seconds: Int64) -> [HTTPField]? {
        let time = SigningTime(seconds)
        var added = [
            HTTPField(name: "x-amz-content-sha256", value: content.payload),
            HTTPField(name: "x-amz-date", value: time.text),
        ]
        if let token = credentials.sessionToken {
            added.append(HTTPField(name: "x-amz-security-token", value: token))
        }
        let signed = Self.canonicalFields(content.fields + added, host: content.host)
        let scope = "\(time.day)/\(region)/\(service)/aws4_request"
        guard let digest = SHA256.digest(of: Self.canonicalRequest(content, signed)),
            let key = key(on: time.day)
        else { return nil }
        let text = [Self.algorithm, time.text, scope, digest.hexadecimal].joined(separator: "\n")
        let code = SHA256.authenticationCode(of: Array(text.utf8), key: key)
        guard let signature = code?.hexadecimal else { return nil }
        let names = signed.map(\.name).joined(separator: ";")
        added.append(
            HTTPField(
                name: "Authorization",
                value: "\(Self.algorithm) Credential=\(credentials.keyID)/\(scope),"
                    + "SignedHeaders=\(names),Signature=\(signature)"
            )
        )
        return added
    }

    /// The query as it is signed and sent: sorted and encoded.
    package static func text(of query: [(name: String, value: String)]) -> String {
        query.map { ($0.name.utf8.percentEncoded(), $0.value.utf8.percentEncoded()) }
            .sorted { $0 < $1 }
            .map { "\($0)=\($1)" }
            .joined(separator: "&")
    }

    private static func canonicalRequest(
        _ content: Content,
        _ fields: [(name: String, value: String)]
    ) -> String {
        let lines = fields.map { "\($0.name):\($0.value)\n" }.joined()
        return [
            content.method, content.path, text(of: content.query), lines,
            fields.map(\.name).joined(separator: ";"), content.payload,
        ].joined(separator: "\n")
    }

    /// The fields with names in lower case, sorted; the values of equal names are joined.
    private static func canonicalFields(
        _ fields: [HTTPField],
        host: String
    ) -> [(name: String, value: String)] {
        var values = ["host": host]
        for field in fields {
            let name = field.name.lowercased()
            let value = field.value.split(separator: " ").joined(separator: " ")
            values[name] = values[name].map { "\($0),\(value)" } ?? value
        }
        return values.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// The key for one day, region and service.
    private func key(on day: String) -> [UInt8]? {
        var key: [UInt8]? = Array("AWS4\(credentials.secret)".utf8)
        for part in [day, region, service, "aws4_request"] {
            key = key.flatMap { SHA256.authenticationCode(of: Array(part.utf8), key: $0) }
        }
        return key
    }
}

/// A time as signatures contain it: `20130524` and `20130524T000000Z`.
private struct SigningTime {
    let day: String
    let text: String

    init(_ seconds: Int64) {
        let (days, second) = seconds.flooredDivision(by: 86_400)
        let date = CalendarDay(daysSince1970: days)
        day = "\(date.year)\(date.month.twoDigits)\(date.day.twoDigits)"
        let clock = [second / 3600, second / 60 % 60, second % 60].map(\.twoDigits).joined()
        text = "\(day)T\(clock)Z"
    }
}
