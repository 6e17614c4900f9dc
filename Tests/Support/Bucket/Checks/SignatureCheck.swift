import CCrypto
import PawlCore

/// Checks signatures with AWS Signature Version 4 in header fields.
///
/// It is written after AWS's description and shares no code with what signs Pawl's requests.
struct SignatureCheck: Sendable {
    private struct Authorization {
        var keyID: String
        var day: String
        var region: String
        var signedNames: [String]
        var signature: String
    }

    private static let algorithm = "AWS4-HMAC-SHA256"
    /// The maximum difference of the clocks of client and bucket, in seconds.
    private static let mostSkew: Int64 = 15 * 60

    let credentials: BucketCredentials
    let region: String

    /// Throws if the request is not signed by the owner of the credentials.
    ///
    /// - Parameters:
    ///   - now: The bucket's time in seconds since 1970.
    func check(
        _ request: RecordedRequest,
        at address: BucketAddress,
        now: Int64
    ) throws(BucketRefusal) {
        guard let field = request["Authorization"] else {
            throw BucketRefusal(403, "AccessDenied", "Access Denied.")
        }
        guard let authorization = Self.parse(field) else { throw Self.malformed() }
        guard authorization.keyID == credentials.keyID else {
            throw BucketRefusal(
                403,
                "InvalidAccessKeyId",
                "The AWS Access Key Id you provided does not exist in our records."
            )
        }
        guard authorization.region == region else {
            throw Self.malformed([("Region", region)])
        }
        let date = request["x-amz-date"] ?? ""
        guard let time = Self.seconds(date), date.hasPrefix(authorization.day) else {
            throw BucketRefusal(403, "AccessDenied", "AWS authentication requires a valid date.")
        }
        guard abs(time - now) <= Self.mostSkew else {
            throw BucketRefusal(
                403,
                "RequestTimeTooSkewed",
                "The difference between the request time and the current time is too large.",
                [("ServerTime", BucketDocument.time(now))]
            )
        }
        guard request["x-amz-security-token"] == credentials.sessionToken else {
            throw BucketRefusal(400, "InvalidToken", "The provided token is malformed or invalid.")
        }
        try checkNames(of: request, authorization)
        guard authorization.signature == signature(of: request, address, authorization, date) else {
            throw BucketRefusal(
                403,
                "SignatureDoesNotMatch",
                "The request signature we calculated does not match the signature you provided."
            )
        }
    }

    /// All fields that change what a request does are to be signed.
    private func checkNames(
        of request: RecordedRequest,
        _ authorization: Authorization
    ) throws(BucketRefusal) {
        let names = Set(request.fields.map { $0.name.lowercased() })
        let needed = names.filter { $0 == "host" || $0.hasPrefix("x-amz-") }
        let signed = authorization.signedNames
        guard names.contains("host"), needed.subtracting(signed).isEmpty else {
            throw BucketRefusal(
                403,
                "AccessDenied",
                "There were headers present in the request which were not signed",
                [("HeadersNotSigned", needed.subtracting(signed).sorted().joined(separator: ", "))]
            )
        }
        guard signed == signed.sorted(), Set(signed).count == signed.count,
            names.isSuperset(of: signed)
        else { throw Self.malformed() }
        guard request["x-amz-content-sha256"] != nil else {
            throw .invalid("Missing required header for this request: x-amz-content-sha256")
        }
    }

    private func signature(
        of request: RecordedRequest,
        _ address: BucketAddress,
        _ authorization: Authorization,
        _ date: String
    ) -> String {
        let query = address.query
            .map { ($0.name.utf8.percentEncoded(), $0.value.utf8.percentEncoded()) }
            .sorted { $0 < $1 }
            .map { "\($0.0)=\($0.1)" }
        let fields = authorization.signedNames.map { name in
            let values = request.fields.values(name).map { value in
                value.split(separator: " ").joined(separator: " ")
            }
            return "\(name):\(values.joined(separator: ","))\n"
        }
        let canonical = [
            request.method, address.path.percentEncoded(except: "/"),
            query.joined(separator: "&"), fields.joined(),
            authorization.signedNames.joined(separator: ";"),
            request["x-amz-content-sha256"] ?? "",
        ].joined(separator: "\n")
        let scope = [authorization.day, region, "s3", "aws4_request"]
        let digest = DigestAlgorithm.sha256.digest(of: Array(canonical.utf8))
        let text = [
            Self.algorithm, date, scope.joined(separator: "/"),
            digest.map(\.hexadecimal).joined(),
        ].joined(separator: "\n")
        let key = scope.reduce(Array("AWS4\(credentials.secret)".utf8)) { key, part in
            Self.authenticationCode(of: part, key: key)
        }
        return Self.authenticationCode(of: text, key: key).map(\.hexadecimal).joined()
    }

    private static func authenticationCode(of text: String, key: [UInt8]) -> [UInt8] {
        let bytes = Array(text.utf8)
        var code = [UInt8](repeating: 0, count: 32)
        HMAC(EVP_sha256(), key, Int32(key.count), bytes, bytes.count, &code, nil)
        return code
    }

    private static func parse(_ field: String) -> Authorization? {
        let prefix = algorithm + " "
        guard field.hasPrefix(prefix) else { return nil }
        let items = field.dropFirst(prefix.count).split(separator: ",").map(\.trimmed)
        let values = items.reduce(into: [String: String]()) { values, item in
            let sides = item.split(separator: "=", maxSplits: 1)
            if sides.count == 2 { values[String(sides[0])] = String(sides[1]) }
        }
        guard items.count == 3, let credential = values["Credential"],
            let names = values["SignedHeaders"], let signature = values["Signature"]
        else { return nil }
        let scope = credential.split(separator: "/").map(String.init)
        guard scope.count == 5, scope[3] == "s3", scope[4] == "aws4_request" else { return nil }
        return Authorization(
            keyID: scope[0],
            day: scope[1],
            region: scope[2],
            signedNames: names.split(separator: ";").map(String.init),
            signature: signature
        )
    }

    private static func malformed(
        _ details: [(name: String, value: String)] = []
    ) -> BucketRefusal {
        BucketRefusal(
            400,
            "AuthorizationHeaderMalformed",
            "The authorization header is malformed.",
            details
        )
    }

    /// Returns the time of `20130524T000000Z` in seconds since 1970.
    private static func seconds(_ text: String) -> Int64? {
        let bytes = Array(text.utf8)
        guard bytes.count == 16, bytes[8] == UInt8(ascii: "T"), bytes[15] == UInt8(ascii: "Z")
        else { return nil }
        func number(_ range: Range<Int>) -> Int64? {
            Int64(String(decoding: bytes[range], as: UTF8.self))
        }
        guard let year = number(0..<4), let month = number(4..<6), let day = number(6..<8),
            let hour = number(9..<11), let minute = number(11..<13), let second = number(13..<15),
            let date = CalendarDay(year: year, month: month, day: day)
        else { return nil }
        return date.daysSince1970 * 86_400 + hour * 3600 + minute * 60 + second
    }
}

/// The credentials that a scripted bucket knows.
package struct BucketCredentials: Sendable {
    package var keyID: String
    package var secret: String
    package var sessionToken: String?

    package init(keyID: String, secret: String, sessionToken: String? = nil) {
        (self.keyID, self.secret, self.sessionToken) = (keyID, secret, sessionToken)
    }

    /// Those of a bucket for which a test names no others.
    package static let usual = BucketCredentials(keyID: "AKIDBUCKET", secret: "bucket/key+1")
}
