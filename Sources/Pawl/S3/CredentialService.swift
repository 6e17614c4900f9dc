package import struct FoundationEssentials.Data
package import struct FoundationEssentials.Date
package import class FoundationEssentials.JSONDecoder
package import struct FoundationEssentials.URL
package import PawlCore

/// A service near a machine or container in AWS that provides temporary credentials.
package enum CredentialService: Hashable, Sendable {
    /// The service of a container.
    case container(URL, authorization: String?)
    /// The metadata of an instance, version 2, at a base URL.
    case instance(URL)

    private static let usualContainer = "http://169.254.170.2"
    private static let usualInstance = "http://169.254.169.254"
    /// The addresses other than this machine's own at which a container's service may be reached
    /// without TLS.
    private static let containerHosts: Set = ["169.254.170.2", "169.254.170.23", "[fd00:ec2::23]"]

    /// Returns the service that the surroundings name, or that of an instance; `nil` if that is
    /// turned off.
    package init?(_ surroundings: S3Surroundings) throws(TransferFailure) {
        if let path = surroundings["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"] {
            guard path.isAbsolutePath, let url = URL(string: Self.usualContainer + path) else {
                throw Self.badVariable("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI")
            }
            self = .container(url, authorization: nil)
        } else if let text = surroundings["AWS_CONTAINER_CREDENTIALS_FULL_URI"] {
            guard let (url, _) = try? SourceURL.parse(text), Self.isTrusted(url) else {
                throw Self.badVariable("AWS_CONTAINER_CREDENTIALS_FULL_URI")
            }
            let file = surroundings["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"]
            let token =
                file.flatMap(surroundings.file)?.trimmed
                ?? surroundings["AWS_CONTAINER_AUTHORIZATION_TOKEN"]
            self = .container(url, authorization: token)
        } else {
            guard surroundings["AWS_EC2_METADATA_DISABLED"]?.lowercased() != "true" else {
                return nil
            }
            let base = surroundings["AWS_EC2_METADATA_SERVICE_ENDPOINT"] ?? Self.usualInstance
            guard let (url, _) = try? SourceURL.parse(base),
                URLScheme(of: url.scheme)?.isHTTP == true
            else { throw Self.badVariable("AWS_EC2_METADATA_SERVICE_ENDPOINT") }
            self = .instance(url)
        }
    }

    private static func badVariable(_ name: String) -> TransferFailure {
        S3Account.unusable("\(name) is not a URL that may be asked for credentials")
    }

    /// Whether nobody else on the network could answer at a URL.
    private static func isTrusted(_ url: URL) -> Bool {
        let parts = AddressParts(url.absoluteString)
        switch URLScheme(of: parts.scheme) {
        case .https: return true
        case .http:
            let host = parts.host?.lowercased() ?? ""
            return containerHosts.contains(host) || host == "localhost" || host == "[::1]"
                || IPAddress(host) != nil && host.hasPrefix("127.")
        default: return false
        }
    }
}

/// The requests to a credential service, one after another.
package struct CredentialInquiry: Sendable {
    package enum Step: Sendable {
        case ask(method: String, URL, [HTTPField])
        /// The answer; `nil` if the machine has no credentials.
        case end(S3Credentials?)
        case fail(TransferFailure)
    }

    private enum Phase { case token, role, credentials }

    private static let seconds = "21600"

    private let service: CredentialService
    private var phase: Phase
    private var fields: [HTTPField] = []

    package init(_ service: CredentialService) {
        self.service = service
        switch service {
        case .container(_, let authorization):
            phase = .credentials
            fields = authorization.map { [HTTPField(name: "Authorization", value: $0)] } ?? []
        case .instance: phase = .token
        }
    }

    /// The first request.
    package func begin() -> Step {
        switch service {
        case .container(let url, _): .ask(method: "GET", url, fields)
        case .instance:
            ask(
                "PUT",
                "latest/api/token",
                [HTTPField(name: "X-aws-ec2-metadata-token-ttl-seconds", value: Self.seconds)]
            )
        }
    }

    /// Takes the answer to a request; `nil` if there was none.
    package mutating func answered(_ status: Int?, _ body: [UInt8]) -> Step {
        let text = (String(validating: body, as: UTF8.self) ?? "").trimmed
        guard status == 200, !text.isEmpty else { return refused(status) }
        switch phase {
        case .token:
            phase = .role
            fields = [HTTPField(name: "X-aws-ec2-metadata-token", value: text)]
            return ask("GET", Self.roles, fields)
        case .role:
            phase = .credentials
            let role = text.split(whereSeparator: \.isNewline).first ?? ""
            return ask("GET", Self.roles + role.utf8.percentEncoded(), fields)
        case .credentials:
            guard let answer = Answer(body) else {
                return .fail(S3Account.unusable("\(name) sent no credentials"))
            }
            return .end(answer.credentials)
        }
    }

    private static let roles = "latest/meta-data/iam/security-credentials/"

    private func refused(_ status: Int?) -> Step {
        // Most machines are outside AWS, and some of AWS's have no role.
        let isAbsent = phase == .token || phase == .role && status == 404
        if case .instance = service, isAbsent { return .end(nil) }
        let answer = status.map { "answered \($0)" } ?? "did not answer"
        return .fail(S3Account.unusable("\(name) \(answer)"))
    }

    private var name: String {
        switch service {
        case .container: "the credential service of the container"
        case .instance: "the instance's metadata service"
        }
    }

    private func ask(_ method: String, _ path: String, _ fields: [HTTPField]) -> Step {
        guard case .instance(let base) = service else { return begin() }
        guard let url = URL(string: base.absoluteString.asFolderPath + path) else {
            return .fail(S3Account.unusable("\(name) has no valid URL"))
        }
        return .ask(method: method, url, fields)
    }

    /// The document with the credentials.
    private struct Answer: Decodable {
        let credentials: S3Credentials

        private enum Key: String, CodingKey {
            case keyID = "AccessKeyId"
            case secret = "SecretAccessKey"
            case token = "Token"
            case expiry = "Expiration"
        }

        init?(_ body: [UInt8]) {
            // Another document has no credentials.
            guard let answer = try? JSONDecoder().decode(Answer.self, from: Data(body)) else {
                return nil
            }
            self = answer
        }

        init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: Key.self)
            let end = try values.decodeIfPresent(String.self, forKey: .expiry)
            // A time of another form is ignored.
            let date = end.flatMap { try? Date($0, strategy: .iso8601) }
            credentials = S3Credentials(
                keyID: try values.decode(String.self, forKey: .keyID),
                secret: try values.decode(String.self, forKey: .secret),
                sessionToken: try values.decodeIfPresent(String.self, forKey: .token),
                expiry: date.flatMap { Int64(exactly: $0.timeIntervalSince1970.rounded()) }
            )
        }
    }
}
