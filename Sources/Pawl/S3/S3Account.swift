package import PawlCore
internal import struct FoundationEssentials.URL

/// Where the objects of an `s3:` URL are, and who requests them.
package struct S3Account: Sendable {
    /// Where the credentials come from.
    package enum CredentialSource: Hashable, Sendable {
        /// There are none; the text is the reason.
        case anonymous(String)
        case fixed(S3Credentials)
        case service(CredentialService)
    }

    package let endpoint: S3Endpoint
    package let credentialSource: CredentialSource

    /// Finds the account as AWS's own tools do.
    ///
    /// Throws `.credentialsUnusable` if there are credentials that cannot be used: other ones, or
    /// none, could lead to another file.
    ///
    /// - Parameters:
    ///   - given: The name and password of the settings or of the URL.
    ///   - surroundings: Where the user's own account is described; `nil` for a request of somebody
    ///     else, who must not use it.
    package init(
        _ settings: S3Settings,
        given: Credentials?,
        in surroundings: S3Surroundings?
    ) throws(TransferFailure) {
        let isOwn = surroundings != nil
        let surroundings = surroundings ?? .empty
        let config = surroundings.sharedConfig
        let name = settings.profile ?? surroundings["AWS_PROFILE"]
        let profile = config[name ?? "default"]
        let base =
            settings.endpoint?.absoluteString ?? surroundings["AWS_ENDPOINT_URL_S3"]
            ?? surroundings["AWS_ENDPOINT_URL"] ?? profile?["endpoint_url"]
        endpoint = S3Endpoint(
            base: try base.map { (text) throws(TransferFailure) in try Self.base(text) },
            region: settings.region ?? surroundings["AWS_REGION"]
                ?? surroundings["AWS_DEFAULT_REGION"] ?? profile?["region"]
                ?? S3Endpoint.usualRegion
        )
        if settings.isAnonymous {
            credentialSource = .anonymous("as requested")
        } else if let given {
            credentialSource = .fixed(S3Credentials(keyID: given.name, secret: given.password))
        } else if !isOwn {
            credentialSource = .anonymous(
                "this download may not use the credentials of the daemon's user"
            )
        } else {
            if let name, profile == nil {
                throw Self.unusable("there is no profile '\(name.sanitized(atMost: 60))'")
            }
            credentialSource = try Self.credentialSource(settings, profile, surroundings)
        }
    }

    /// Returns the first of the sources that has credentials.
    private static func credentialSource(
        _ settings: S3Settings,
        _ profile: [String: String]?,
        _ surroundings: S3Surroundings
    ) throws(TransferFailure) -> CredentialSource {
        let ofEnvironment = try credentials(
            surroundings["AWS_ACCESS_KEY_ID"],
            surroundings["AWS_SECRET_ACCESS_KEY"],
            surroundings["AWS_SESSION_TOKEN"],
            "the environment has AWS_ACCESS_KEY_ID or AWS_SECRET_ACCESS_KEY, but not both"
        )
        if settings.profile == nil, let ofEnvironment { return .fixed(ofEnvironment) }
        if let profile, let found = try credentials(of: profile) { return .fixed(found) }
        if settings.profile != nil { throw unusable("the profile has no access key") }
        if surroundings["AWS_WEB_IDENTITY_TOKEN_FILE"] != nil {
            throw unusable("a web identity (AWS_WEB_IDENTITY_TOKEN_FILE) is not supported")
        }
        if let service = try CredentialService(surroundings) { return .service(service) }
        return .anonymous("no AWS credentials were found")
    }

    /// The keys of a profile by which other credentials are obtained.
    private static let unsupported = [
        "role_arn": "assuming a role", "sso_session": "AWS's single sign-on",
        "sso_start_url": "AWS's single sign-on", "credential_process": "a credential process",
        "web_identity_token_file": "a web identity", "login_session": "a session of aws login",
    ]

    private static func credentials(
        of profile: [String: String]
    ) throws(TransferFailure) -> S3Credentials? {
        // A profile that assumes a role has the access key of another account.
        if profile["role_arn"] == nil,
            let found = try credentials(
                profile[SharedConfig.keyID],
                profile[SharedConfig.secret],
                profile[SharedConfig.sessionToken],
                "the profile has aws_access_key_id or aws_secret_access_key, but not both"
            )
        {
            return found
        }
        let kind = unsupported.keys.sorted().first { profile[$0] != nil }
        guard let kind, let name = unsupported[kind] else { return nil }
        throw unusable("the profile uses \(kind): \(name) is not supported")
    }

    private static func credentials(
        _ keyID: String?,
        _ secret: String?,
        _ token: String?,
        _ half: String
    ) throws(TransferFailure) -> S3Credentials? {
        guard let keyID, let secret else {
            if keyID == nil, secret == nil { return nil }
            throw unusable(half)
        }
        return S3Credentials(keyID: keyID, secret: secret, sessionToken: token)
    }

    private static func base(_ text: String) throws(TransferFailure) -> URL {
        guard let (url, nobody) = try? SourceURL.parse(text), nobody == nil,
            URLScheme(of: url.scheme)?.isHTTP == true
        else {
            // The text may contain a password.
            throw unusable("the endpoint in the environment or the profile is not an HTTP URL")
        }
        return url
    }

    static func unusable(_ reason: String) -> TransferFailure {
        TransferFailure(.credentialsUnusable, reason)
    }
}
