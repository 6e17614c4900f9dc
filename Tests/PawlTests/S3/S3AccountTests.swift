import Pawl
import PawlCore
import Testing
import struct FoundationEssentials.URL

@Suite(.timeLimit(.minutes(5)))
struct S3AccountTests {
    private let own = S3Credentials(keyID: "AKID", secret: "s3cret")

    private func account(
        _ variables: [String: String] = [:],
        config: String? = nil,
        credentials: String? = nil,
        given: Credentials? = nil,
        _ change: (inout S3Settings) -> Void = { _ in }
    ) throws(TransferFailure) -> S3Account {
        var settings = S3Settings()
        change(&settings)
        let variables = variables.merging(["HOME": "/home/me"]) { $1 }
        let files = [
            "/home/me/.aws/config": config, "/home/me/.aws/credentials": credentials,
            "/token": "secret-token\n",
            "/other": "[work]\naws_access_key_id=OTHER\naws_secret_access_key=x",
        ]
        return try S3Account(
            settings,
            given: given,
            in: S3Surroundings(
                variable: { variables[$0] },
                file: { files[$0].flatMap(\.self) }
            )
        )
    }

    private let keys = ["AWS_ACCESS_KEY_ID": "AKID", "AWS_SECRET_ACCESS_KEY": "s3cret"]
    private let file = "[default]\naws_access_key_id = AKID\naws_secret_access_key = s3cret\n"

    @Test func `credentials of the environment`() throws {
        #expect(try account(keys).credentialSource == .fixed(own))
        var temporary = own
        temporary.sessionToken = "token"
        #expect(
            try account(keys.merging(["AWS_SESSION_TOKEN": "token"]) { $1 }).credentialSource
                == .fixed(temporary)
        )
    }

    @Test func `credentials of the files`() throws {
        #expect(try account(credentials: file).credentialSource == .fixed(own))
        #expect(try account(config: file).credentialSource == .fixed(own))
        let work = "[profile work]\n# a comment\nregion = eu-west-3\n[default]\nregion=x\n"
        let named = try account(
            ["AWS_PROFILE": "work"],
            config: work,
            credentials: "[work]\naws_access_key_id=AKID\naws_secret_access_key=s3cret\n"
        )
        #expect(named.credentialSource == .fixed(own))
        #expect(named.endpoint.region == "eu-west-3")
        let other = try account(["AWS_SHARED_CREDENTIALS_FILE": "/other"]) { $0.profile = "work" }
        #expect(other.credentialSource == .fixed(S3Credentials(keyID: "OTHER", secret: "x")))
    }

    @Test func `a key, its secret and its token come from one file`() throws {
        let token = "aws_session_token = token\n"
        #expect(
            try account(config: "[default]\n\(token)", credentials: file).credentialSource
                == .fixed(own)
        )
        #expect(
            try account(config: file, credentials: "[default]\n\(token)").credentialSource
                == .fixed(own)
        )
        let other = "[default]\naws_access_key_id = OTHER\n\(token)region = x\n"
        let both = try account(config: other, credentials: file)
        #expect(both.credentialSource == .fixed(own))
        #expect(both.endpoint.region == "x")
        #expect(throws: TransferFailure.self) {
            try account(
                config: "[default]\naws_secret_access_key = s3cret\n",
                credentials: "[default]\naws_access_key_id = AKID\n"
            )
        }
        var temporary = own
        temporary.sessionToken = "token"
        #expect(try account(config: file + token).credentialSource == .fixed(temporary))
    }

    @Test func `named credentials come first`() throws {
        let given = Credentials(name: "GIVEN", password: "x")
        #expect(
            try account(keys, credentials: file, given: given).credentialSource
                == .fixed(S3Credentials(keyID: "GIVEN", secret: "x"))
        )
        let profiles = "[work]\naws_access_key_id=WORK\naws_secret_access_key=x\n"
        #expect(
            try account(keys, credentials: profiles) { $0.profile = "work" }.credentialSource
                == .fixed(S3Credentials(keyID: "WORK", secret: "x"))
        )
        #expect(
            try account(keys.merging(["AWS_PROFILE": "work"]) { $1 }, credentials: profiles)
                .credentialSource
                == .fixed(own)
        )
        #expect(
            try account(keys, given: given) { $0.isAnonymous = true }.credentialSource
                == .anonymous("as requested")
        )
    }

    @Test func `only the user has these credentials`() throws {
        var settings = S3Settings()
        settings.profile = "work"
        let account = try S3Account(settings, given: nil, in: nil)
        guard case .anonymous = account.credentialSource else {
            Issue.record("the user's credentials would be used")
            return
        }
    }

    @Test(arguments: [
        ("role_arn = arn:aws:iam::1:role/x\nsource_profile = y", "role_arn"),
        ("sso_session = work", "sso_session"), ("sso_start_url = https://x", "sso_start_url"),
        ("credential_process = /bin/x", "credential_process"),
        ("web_identity_token_file = /x", "web_identity_token_file"),
        ("aws_access_key_id = AKID", "both"), ("login_session = x", "login_session"),
    ])
    func `credentials that cannot be used are an error`(lines: String, text: String) {
        let error = #expect(throws: TransferFailure.self) {
            try account(config: "[default]\n\(lines)\n")
        }
        #expect(error?.kind == .credentialsUnusable)
        #expect(error?.message.contains(text) == true, "\(error?.message ?? "")")
    }

    @Test func `a profile that does not exist is an error`() {
        #expect(throws: TransferFailure.self) { try account(["AWS_PROFILE": "work"]) }
        #expect(throws: TransferFailure.self) { try account(keys) { $0.profile = "work" } }
        #expect(throws: TransferFailure.self) { try account(["AWS_ACCESS_KEY_ID": "x"]) }
    }

    @Test func `the endpoint and the region`() throws {
        #expect(try account(keys).endpoint == S3Endpoint(region: "us-east-1"))
        let base = try #require(URL(string: "http://127.0.0.1:9000/"))
        let variables = keys.merging([
            "AWS_ENDPOINT_URL": "http://127.0.0.1:9000", "AWS_REGION": "x",
        ]) { $1 }
        #expect(try account(variables).endpoint == S3Endpoint(base: base, region: "x"))
        let config = "[default]\nendpoint_url = http://127.0.0.1:9000\nregion = eu-south-1\n"
        #expect(
            try account(keys, config: config).endpoint
                == S3Endpoint(base: base, region: "eu-south-1")
        )
        let chosen = try account(variables) {
            $0.region = "mine"
            $0.endpoint = URL(string: "https://other.example/")
        }
        #expect(chosen.endpoint.region == "mine")
        #expect(chosen.endpoint.base?.host() == "other.example")
        #expect(throws: TransferFailure.self) {
            try account(keys.merging(["AWS_ENDPOINT_URL_S3": "ftp://x/"]) { $1 })
        }
    }

    @Test func `services of containers and instances`() throws {
        let usual = try #require(URL(string: "http://169.254.169.254/"))
        #expect(try account().credentialSource == .service(.instance(usual)))
        #expect(
            try account(["AWS_EC2_METADATA_DISABLED": "true"]).credentialSource
                == .anonymous("no AWS credentials were found")
        )
        let relative = try #require(URL(string: "http://169.254.170.2/v2/x"))
        #expect(
            try account(["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "/v2/x"]).credentialSource
                == .service(.container(relative, authorization: nil))
        )
        let full = try #require(URL(string: "http://127.0.0.1:1/x"))
        #expect(
            try account([
                "AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://127.0.0.1:1/x",
                "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": "/token",
            ]).credentialSource == .service(.container(full, authorization: "secret-token"))
        )
        for other in ["http://192.0.2.1/x", "http://127.evil.example/", "file:///etc/passwd", "x"] {
            #expect(throws: TransferFailure.self) {
                try account(["AWS_CONTAINER_CREDENTIALS_FULL_URI": other])
            }
        }
    }
}
