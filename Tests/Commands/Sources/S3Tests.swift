import PawlCore
import PawlTesting
import Testing

/// `s3:` URLs, from moto.
@Suite(.timeLimit(.minutes(5)), .enabled(if: MotoServer.isInstalled))
struct S3Tests {
    private let resource = Resource(size: 3_000_000)

    private func url(_ key: String = "disk.iso") -> String { "s3://\(MotoServer.bucket)/\(key)" }

    @Test(arguments: ["1", "4"])
    func `an object over one and several connections`(connections: String) async throws {
        let server = try await MotoServer()
        // On a busy machine, a small one arrives before a second request is sent.
        let resource = Resource(size: 30_000_000)
        try await server.store(resource.bytes(), as: "disk.iso")
        let workshop = try Workshop()
        let run = try await workshop.run(
            url(),
            "-x",
            connections,
            "-v",
            settings: .aws(at: server.endpoint)
        )
        try expectOnly("disk.iso", resource, in: workshop, run)
        #expect(run.errors.contains(" 206 ") == (connections != "1"), "\(run.errors)")
    }

    @Test(arguments: [0, 1, 1000])
    func `a small object`(size: Int64) async throws {
        let server = try await MotoServer()
        let small = Resource(size: size)
        try await server.store(small.bytes(), as: "a/b.txt")
        let workshop = try Workshop()
        let run = try await workshop.run(url("a/b.txt"), settings: .aws(at: server.endpoint))
        try expectOnly("b.txt", small, in: workshop, run)
    }

    @Test(arguments: [
        ("a%20b%2Bc%26d%3De.txt", "a b+c&d=e.txt"), ("%C3%A9%E2%82%AC.txt", "é€.txt"),
        ("a/%2E%2E/b%3F.txt", "b?.txt"), ("~%24%21%27%28%29%2A%2C%3B%3A%40.txt", "_$!'()*,;:@.txt"),
    ])
    func `each signature is right, for all characters of keys`(key: String, name: String)
        async throws
    {
        let server = try await MotoServer()
        try await server.store(resource.bytes(), as: key)
        let (id, secret) = try await server.checkSignatures()
        let workshop = try Workshop()
        let run = try await workshop.run(
            url(key),
            "-x",
            "4",
            settings: .aws(at: server.endpoint, id, secret)
        )
        try expectOnly(name, resource, in: workshop, run)
        let wrong = try await Workshop().run(
            url(key),
            settings: .aws(at: server.endpoint, id, "wr0ng")
        )
        expectFailure(.unauthorized, wrong)
        #expect(wrong.errors.contains("403 SignatureDoesNotMatch: "), "\(wrong.errors)")
        #expect(!wrong.everything.contains("wr0ng"))
    }

    @Test func `the settings name the server and the credentials`() async throws {
        let server = try await MotoServer()
        try await server.store(resource.bytes(), as: "disk.iso")
        let (id, secret) = try await server.checkSignatures()
        let workshop = try Workshop()
        let given = try await workshop.run(
            url(),
            "--s3-endpoint",
            server.endpoint,
            "-u",
            "\(id):\(secret)",
            settings: .aws()
        )
        try expectOnly("disk.iso", resource, in: workshop, given)
        let other = try Workshop()
        try other.folder.makeFolder(".aws")
        try other.folder.write(
            ".aws/credentials",
            "[work]\naws_access_key_id = \(id)\naws_secret_access_key = \(secret)\n"
        )
        var settings = ProcessSettings.aws(at: server.endpoint)
        settings.environment["HOME"] = other.folder.path
        let profile = try await other.run(url(), "--s3-profile", "work", settings: settings)
        #expect(profile.status == .code(0), "\(profile.errors)")
        try expectExact("disk.iso", resource, in: other)
        expectFailure(
            .unauthorized,
            try await Workshop().run(url(), "--s3-profile", "none", settings: settings)
        )
    }

    @Test func `without credentials no request is signed, as the error reports`() async throws {
        let server = try await MotoServer()
        try await server.store(resource.bytes(), as: "secret.iso")
        try await server.store(resource.bytes(), as: "disk.iso", "x-amz-acl: public-read")
        let workshop = try Workshop()
        let refused = try await workshop.run(
            url("secret.iso"),
            settings: .aws(at: server.endpoint, nil)
        )
        expectFailure(.unauthorized, refused)
        #expect(refused.errors.contains("no AWS credentials were found"), "\(refused.errors)")
        let run = try await workshop.run(
            url(),
            "--s3-anonymous",
            settings: .aws(at: server.endpoint)
        )
        try expectOnly("disk.iso", resource, in: workshop, run)
        let chosen = try await Workshop().run(
            url("secret.iso"),
            "--s3-anonymous",
            settings: .aws(at: server.endpoint)
        )
        expectFailure(.unauthorized, chosen)
    }

    @Test func `a missing object and a missing bucket are errors with the service's code`()
        async throws
    {
        let server = try await MotoServer()
        let workshop = try Workshop()
        let settings = ProcessSettings.aws(at: server.endpoint)
        let missing = try await workshop.run(url("none"), settings: settings)
        expectFailure(.notFound, missing)
        #expect(missing.errors.contains("404 NoSuchKey: "), "\(missing.errors)")
        let bucket = try await workshop.run("s3://no-such-bucket/x", settings: settings)
        expectFailure(.notFound, bucket)
        #expect(bucket.errors.contains("404 NoSuchBucket: "), "\(bucket.errors)")
    }

    @Test func `a version that the URL names`() async throws {
        let server = try await MotoServer()
        try await server.keepVersions()
        try await server.store(resource.bytes(), as: "disk.iso")
        let workshop = try Workshop()
        let settings = ProcessSettings.aws(at: server.endpoint)
        let version = try await server.version(of: "disk.iso")
        try await server.store(Resource(size: 1000, seed: 9).bytes(), as: "disk.iso")
        let run = try await workshop.run("\(url())?versionId=\(version)", settings: settings)
        try expectOnly("disk.iso", resource, in: workshop, run)
    }

    @Test func `the checksum that was stored with an object is verified`() async throws {
        let server = try await MotoServer()
        try await server.store(
            Array("hello".utf8),
            as: "a.txt",
            "x-amz-sdk-checksum-algorithm: SHA256",
            "x-amz-checksum-sha256: LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ="
        )
        let workshop = try Workshop()
        let settings = ProcessSettings.aws(at: server.endpoint)
        let shown = try await workshop.run("inspect", url("a.txt"), settings: settings)
        #expect(shown.output.contains("sha256"), "\(shown.output)")
        let run = try await workshop.run(url("a.txt"), settings: settings)
        try expectOnly("a.txt", Resource(text: "hello"), in: workshop, run)
    }

    @Test func `the size and the ranges of an object are shown`() async throws {
        let server = try await MotoServer()
        try await server.store(resource.bytes(), as: "disk.iso")
        let run = try await Workshop().run("inspect", url(), settings: .aws(at: server.endpoint))
        #expect(run.status == .code(0), "\(run.errors)")
        for text in ["3000000 bytes", "serves ranges    yes"] {
            #expect(run.output.contains(text), "\(run.output)")
        }
    }

    @Test func `a folder, a port and a body are refused`() async throws {
        for arguments in [
            ["s3://photos:9000/x"], ["s3://photos/x", "--data", "x"],
            ["inspect", "s3://photos/x/"],
        ] {
            expectFailure(.usage, try await Workshop().run(arguments))
        }
    }
}

extension ProcessSettings {
    /// The settings of a program with the credentials of AWS in its environment, and no others.
    static func aws(
        at endpoint: String? = nil,
        _ keyID: String? = "test",
        _ secret: String? = "test",
        _ others: [String: String] = [:]
    ) -> ProcessSettings {
        let none = [
            "AWS_SESSION_TOKEN", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE",
            "AWS_ENDPOINT_URL_S3", "AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE",
            "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI",
            "AWS_EC2_METADATA_SERVICE_ENDPOINT", "AWS_WEB_IDENTITY_TOKEN_FILE",
        ]
        var environment = Dictionary(uniqueKeysWithValues: none.map { ($0, nil as String?) })
        environment["HOME"] = "/nonexistent"
        environment["AWS_ENDPOINT_URL"] = endpoint
        environment["AWS_EC2_METADATA_DISABLED"] = "true"
        environment["AWS_ACCESS_KEY_ID"] = keyID
        environment["AWS_SECRET_ACCESS_KEY"] = keyID == nil ? nil : secret
        for (name, value) in others { environment[name] = value }
        return ProcessSettings(environment: environment)
    }
}
