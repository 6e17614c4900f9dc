import PawlCore
import PawlTesting
import Testing
import struct FoundationEssentials.Date

/// `s3:` URLs, from an origin that does what moto cannot.
@Suite(.timeLimit(.minutes(5)))
struct S3OriginTests {
    private static let path = "/photos/disk.iso"
    private static let url = "s3://photos/disk.iso"
    private let resource = Resource(size: 3_000_000)

    private func error(_ code: String, _ more: String = "") -> String {
        "<?xml version=\"1.0\"?><Error><Code>\(code)</Code><Message>Sorry</Message>\(more)</Error>"
    }

    private func aws(
        _ workshop: Workshop,
        _ others: [String: String] = [:],
        keyID: String? = "test"
    ) -> ProcessSettings {
        .aws(at: workshop.origin.url(""), keyID, "test", others)
    }

    private func region(_ request: RecordedRequest) -> Substring? {
        request["Authorization"]?.split(separator: "/").dropFirst(2).first
    }

    @Test(arguments: [true, false])
    func `a request to the wrong region is sent again to the right one`(isInBody: Bool) async throws
    {
        let workshop = try Workshop()
        let refusal = Reply.status(
            isInBody ? 400 : 301,
            fields: isInBody ? [] : [("x-amz-bucket-region", "eu-west-3")],
            body: error(
                isInBody ? "AuthorizationHeaderMalformed" : "PermanentRedirect",
                isInBody ? "<Region>eu-west-3</Region>" : ""
            )
        )
        workshop.serve(
            Reply.resource(resource).choosing(refusal) {
                $0.request["Authorization"]?.contains("/eu-west-3/s3/") != true
            },
            at: Self.path
        )
        let run = try await workshop.run(Self.url, "-x", "4", settings: aws(workshop))
        try expectOnly("disk.iso", resource, in: workshop, run)
        let regions = workshop.origin.requests.compactMap(region)
        #expect(regions.first == "us-east-1")
        #expect(regions.dropFirst().allSatisfy { $0 == "eu-west-3" }, "\(regions)")
    }

    @Test func `a server that always names another region is an error that shows it`() async throws
    {
        let workshop = try Workshop()
        workshop.serve(
            .each { exchange in
                .status(
                    400,
                    fields: [("x-amz-bucket-region", "region-\(exchange.ordinal)")],
                    body: error("AuthorizationHeaderMalformed")
                )
            },
            at: Self.path
        )
        let run = try await workshop.run(Self.url, settings: aws(workshop))
        expectFailure(.badResponse, run)
        #expect(run.errors.contains("400 AuthorizationHeaderMalformed: Sorry"), "\(run.errors)")
        #expect(workshop.origin.requests.count == 2)
    }

    @Test func `a redirect receives no credentials`() async throws {
        let workshop = try Workshop()
        let other = try ScriptedOrigin()
        other.route("/x", .resource(resource))
        workshop.serve(.redirect(to: other.url("/x", host: "localhost")), at: Self.path)
        let refused = try await workshop.run(Self.url, settings: aws(workshop))
        // From a scheme that is usually secure to plain HTTP.
        expectFailure(.redirectRefused, refused)
        #expect(other.requests.isEmpty)
        let secure = try ScriptedOrigin(tls: true)
        secure.route("/x", .resource(resource))
        workshop.serve(.redirect(to: secure.url("/x", host: "localhost")), at: Self.path)
        var settings = aws(workshop)
        settings.environment["AWS_SESSION_TOKEN"] = "t0ken"
        let run = try await workshop.run(Self.url, "-k", "-o", "a", settings: settings)
        #expect(run.status == .code(0), "\(run.errors)")
        for request in secure.requests {
            #expect(request["Authorization"] == nil)
            #expect(!request.fields.contains { $0.name.lowercased().hasPrefix("x-amz-") })
        }
        #expect(workshop.origin.requests.last?["x-amz-security-token"] == "t0ken")
    }

    @Test func `a wrong clock is corrected by the server's time`() async throws {
        let workshop = try Workshop()
        let refusal = Reply.status(
            403,
            fields: [("Date", "Thu, 01 Jan 2037 12:00:00 GMT")],
            body: error("RequestTimeTooSkewed")
        )
        workshop.serve(
            Reply.resource(resource).choosing(refusal) {
                $0.request["x-amz-date"]?.hasPrefix("20370101T1200") != true
            },
            at: Self.path
        )
        let run = try await workshop.run(Self.url, settings: aws(workshop))
        try expectOnly("disk.iso", resource, in: workshop, run)
        workshop.serve(refusal, at: Self.path)
        let refused = try await workshop.run(Self.url, "-o", "b", settings: aws(workshop))
        expectFailure(.unauthorized, refused)
        #expect(
            refused.errors.contains("The server's time is Thu, 01 Jan 2037"),
            "\(refused.errors)"
        )
    }

    @Test func `each retry is signed again`() async throws {
        let workshop = try Workshop()
        workshop.serve(
            .sequence([.status(503, body: error("SlowDown")), .resource(resource)]),
            at: Self.path
        )
        let run = try await workshop.run(Self.url, "-v", settings: aws(workshop))
        try expectOnly("disk.iso", resource, in: workshop, run)
        let signatures = workshop.origin.requests.compactMap { $0["Authorization"] }
        #expect(signatures.count >= 2)
        let lasting = try await workshop.run(
            "s3://photos/other",
            "--retries",
            "0",
            settings: aws(workshop)
        )
        expectFailure(.notFound, lasting)
    }

    @Test func `an object that is replaced during the download stays whole if it has versions`()
        async throws
    {
        let workshop = try Workshop()
        let large = Resource(size: 24_000_000)
        var old = large
        old.fields = [HTTPField(name: "x-amz-version-id", value: "v1")]
        var new = Resource(size: 24_000_000, seed: 7)
        new.fields = [HTTPField(name: "x-amz-version-id", value: "v2")]
        // Whoever asks for no version after the first response gets the new object.
        workshop.serve(
            Reply.resource(new).choosing(.resource(old)) {
                $0.ordinal == 1 || $0.request.target.hasSuffix("?versionId=v1")
            },
            at: Self.path
        )
        let run = try await workshop.run(Self.url, "-x", "4", "-v", settings: aws(workshop))
        try expectOnly("disk.iso", large, in: workshop, run)
        #expect(workshop.origin.requests.count > 1)
    }

    @Test func `a download continues if versions may not be requested`() async throws {
        let workshop = try Workshop()
        var large = Resource(size: 24_000_000)
        large.fields = [HTTPField(name: "x-amz-version-id", value: "v1")]
        workshop.serve(
            Reply.resource(large).choosing(.status(403, body: error("AccessDenied"))) {
                $0.request.target.contains("versionId")
            },
            at: Self.path
        )
        let run = try await workshop.run(Self.url, "-x", "4", settings: aws(workshop))
        try expectOnly("disk.iso", large, in: workshop, run)
        #expect(workshop.origin.requests.contains { $0.target.contains("versionId=v1") })
    }

    @Test func `an object that is replaced during the download starts over if it has no versions`()
        async throws
    {
        let workshop = try Workshop()
        let old = Resource(size: 24_000_000)
        let new = Resource(size: 24_000_000, seed: 7)
        workshop.serve(
            Reply.resource(new).choosing(Reply.resource(old).afterBytes(9 << 20, .reset)) {
                $0.ordinal == 1
            },
            at: Self.path
        )
        let run = try await workshop.run(Self.url, "-x", "1", "-v", settings: aws(workshop))
        try expectOnly("disk.iso", new, in: workshop, run)
    }

    @Test func `an interrupted download is resumed with new signatures, and no secret is kept`()
        async throws
    {
        let workshop = try Workshop()
        let large = Resource(size: 24_000_000)
        workshop.serve(
            Reply.resource(large).holdAfterBytes(10 << 20, until: Latch()),
            at: Self.path
        )
        let settings = ProcessSettings.aws(at: workshop.origin.url(""), "KEYID", "s3cret")
        let runner = try workshop.start(Self.url, "-x", "1", settings: settings)
        try await FolderWatch.wait(for: "disk.iso.part.pawl", in: workshop.folder)
        runner.signal(2)
        await runner.waitForExit()
        let kept = String(decoding: try workshop.folder.read("disk.iso.part.pawl"), as: UTF8.self)
        #expect(kept.contains("s3://photos/disk.iso"))
        #expect(!kept.contains("KEYID") && !kept.contains("s3cret"))
        workshop.serve(.resource(large), at: Self.path)
        let run = try await workshop.run(Self.url, "-v", settings: settings)
        try expectOnly("disk.iso", large, in: workshop, run)
        #expect(!run.errors.contains("requests all"), "\(run.errors)")
        #expect(!run.everything.contains("s3cret"))
    }

    @Test func `a checksum of parts is not a checksum of the object`() async throws {
        let workshop = try Workshop()
        var part = Resource(text: "hello")
        part.fields = [
            HTTPField(
                name: "x-amz-checksum-sha256",
                value: "LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=-2"
            ),
            HTTPField(name: "Content-Encoding", value: "aws-chunked"),
        ]
        workshop.serve(.resource(part), at: Self.path)
        let run = try await workshop.run(Self.url, settings: aws(workshop))
        try expectOnly("disk.iso", part, in: workshop, run)
        #expect(workshop.origin.requests.first?["x-amz-checksum-mode"] == "ENABLED")
        var wrong = part
        wrong.fields[0].value = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
        workshop.serve(.resource(wrong), at: Self.path)
        let bad = try await workshop.run(Self.url, "-o", "b", settings: aws(workshop))
        expectFailure(.checksumMismatch, bad)
    }

    @Test func `the region of the settings comes before that of the environment`() async throws {
        let workshop = try Workshop()
        workshop.serve(.resource(resource), at: Self.path)
        let settings = aws(workshop, ["AWS_REGION": "eu-north-1"])
        let run = try await workshop.run(Self.url, settings: settings)
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(workshop.origin.requests.last.flatMap(region) == "eu-north-1")
        _ = try await workshop.run(Self.url, "--s3-region", "mine", "-o", "b", settings: settings)
        #expect(workshop.origin.requests.last.flatMap(region) == "mine")
    }

    @Test func `a header of the user's that concerns S3 is signed`() async throws {
        let workshop = try Workshop()
        workshop.serve(.resource(resource), at: Self.path)
        let run = try await workshop.run(
            Self.url,
            "-H",
            "x-amz-request-payer: requester",
            settings: aws(workshop)
        )
        try expectOnly("disk.iso", resource, in: workshop, run)
        let request = try #require(workshop.origin.requests.first)
        #expect(request["x-amz-request-payer"] == "requester")
        #expect(request["Authorization"]?.contains("x-amz-request-payer") == true)
    }

    // MARK: - Services that provide credentials

    private let document = """
        {"Code":"Success","AccessKeyId":"FROMROLE","SecretAccessKey":"s3cret","Token":"t0ken",\
        "Expiration":"2037-01-01T00:00:00Z"}
        """

    @Test func `an instance's credentials are found`() async throws {
        let workshop = try Workshop()
        workshop.serve(.resource(resource), at: Self.path)
        let service = try ScriptedOrigin()
        service.route("/latest/api/token", .status(200, body: "session"))
        let roles = "/latest/meta-data/iam/security-credentials/"
        service.route(roles, .status(200, body: "role"))
        service.route(roles + "role", .status(200, body: document))
        let settings = aws(
            workshop,
            [
                "AWS_EC2_METADATA_SERVICE_ENDPOINT": service.url(""),
                "AWS_EC2_METADATA_DISABLED": "false", "http_proxy": "http://127.0.0.1:1",
                "no_proxy": "127.0.0.1",
            ],
            keyID: nil
        )
        let run = try await workshop.run(Self.url, "-x", "4", settings: settings)
        try expectOnly("disk.iso", resource, in: workshop, run)
        #expect(service.requests.map(\.method) == ["PUT", "GET", "GET"])
        #expect(service.requests[1]["X-aws-ec2-metadata-token"] == "session")
        for request in workshop.origin.requests {
            #expect(request["Authorization"]?.contains("Credential=FROMROLE/") == true)
            #expect(request["x-amz-security-token"] == "t0ken")
        }
        #expect(!run.everything.contains("t0ken"))
    }

    @Test func `a container's credentials are found, and its refusal is an error`() async throws {
        let workshop = try Workshop()
        workshop.serve(.resource(resource), at: Self.path)
        let service = try ScriptedOrigin()
        service.route("/creds", Reply.status(200, body: document).requireAuthorization("secret"))
        var others = ["AWS_CONTAINER_CREDENTIALS_FULL_URI": service.url("/creds")]
        let refused = try await workshop.run(
            Self.url,
            settings: aws(workshop, others, keyID: nil)
        )
        expectFailure(.unauthorized, refused)
        #expect(refused.errors.contains("the container answered 401"), "\(refused.errors)")
        #expect(workshop.origin.requests.isEmpty)
        others["AWS_CONTAINER_AUTHORIZATION_TOKEN"] = "secret"
        let run = try await workshop.run(Self.url, settings: aws(workshop, others, keyID: nil))
        try expectOnly("disk.iso", resource, in: workshop, run)
    }

    @Test func `a service that never answers is not awaited for long`() async throws {
        let workshop = try Workshop()
        workshop.serve(.resource(resource), at: Self.path)
        let service = try ScriptedOrigin()
        service.routeDefault(.never)
        let settings = aws(
            workshop,
            [
                "AWS_EC2_METADATA_SERVICE_ENDPOINT": service.url(""),
                "AWS_EC2_METADATA_DISABLED": "false",
            ],
            keyID: nil
        )
        let run = try await workshop.run(Self.url, settings: settings)
        try expectOnly("disk.iso", resource, in: workshop, run)
        #expect(workshop.origin.requests.allSatisfy { $0["Authorization"] == nil })
        // Ctrl-C does not wait either. On a busy machine, the time for the service may be over
        // first.
        let isInterrupted = try await quietRound {
            let other = try Workshop()
            let before = service.requests.count
            let runner = try other.start(Self.url, settings: settings)
            await service.waitForRequests(before + 1)
            runner.signal(2)
            let status = await runner.waitForExit()
            return status == .code(ErrorCode.interrupted.exitStatus)
                && other.origin.requests.isEmpty
        }
        #expect(isInterrupted)
    }

    @Test func `credentials that expire soon are not requested for each request`() async throws {
        let workshop = try Workshop()
        let large = Resource(size: 24_000_000)
        workshop.serve(.resource(large), at: Self.path)
        let service = try ScriptedOrigin()
        let end = Date(timeIntervalSinceNow: 120).formatted(.iso8601)
        let short = document.replacing("2037-01-01T00:00:00Z", with: end)
        service.route("/creds", .status(200, body: short))
        let others = ["AWS_CONTAINER_CREDENTIALS_FULL_URI": service.url("/creds")]
        let run = try await workshop.run(
            Self.url,
            "-x",
            "4",
            settings: aws(workshop, others, keyID: nil)
        )
        try expectOnly("disk.iso", large, in: workshop, run)
        #expect(workshop.origin.requests.count > 1)
        #expect(service.requests.count == 1)
    }

    @Test func `an endpoint that demands HTTPS gets it`() async throws {
        let workshop = try Workshop()
        let secure = try ScriptedOrigin(tls: true)
        secure.route(Self.path, .resource(resource))
        let endpoint = secure.url("", host: "localhost").replacing("https:", with: "http:")
        let settings = ProcessSettings.aws(at: endpoint)
        let plain = try await workshop.run(Self.url, "-k", "--retries", "0", settings: settings)
        #expect(plain.status != .code(0))
        try workshop.folder.write("hosts", "localhost \"unlimited\"\n")
        let run = try await workshop.run(
            [Self.url, "-k", "--hsts", "hosts", "-o", "file"],
            settings
        )
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(try workshop.folder.read("file") == resource.bytes())
        #expect(secure.requests.allSatisfy { $0["Authorization"] != nil })
    }

    @Test func `expired credentials are requested again`() async throws {
        let workshop = try Workshop()
        workshop.serve(
            .sequence([.status(400, body: error("ExpiredToken")), .resource(resource)]),
            at: Self.path
        )
        let service = try ScriptedOrigin()
        service.route("/creds", .status(200, body: document))
        let run = try await workshop.run(
            Self.url,
            "-x",
            "1",
            settings: aws(
                workshop,
                ["AWS_CONTAINER_CREDENTIALS_FULL_URI": service.url("/creds")],
                keyID: nil
            )
        )
        try expectOnly("disk.iso", resource, in: workshop, run)
        #expect(service.requests.count == 2)
        workshop.serve(.status(400, body: error("ExpiredToken")), at: Self.path)
        let ended = try await workshop.run(Self.url, "-o", "b", settings: aws(workshop))
        expectFailure(.unauthorized, ended)
        #expect(ended.errors.contains("ExpiredToken"), "\(ended.errors)")
    }
}
