import Pawl
import PawlCore
import PawlTesting
import Testing
import struct FoundationEssentials.URL

/// What a service with S3's protocol promises, by the scripted bucket and by moto.
///
/// Where moto is known to be wrong, only the scripted bucket is tested, in `ScriptedBucketTests`.
@Suite(.timeLimit(.minutes(5)))
struct BucketContractTests {
    private static let large = [UInt8](repeating: UInt8(ascii: "a"), count: 5 << 20)

    @Test(arguments: BucketKind.available)
    func `an object keeps its bytes, its metadata and its type`(kind: BucketKind) async throws {
        let client = try await BucketScene(kind).client
        let key = "a/b c+é.txt"
        let fields = ["Content-Type": "text/plain", "x-amz-meta-pawl": "queue-7"]
        let put = try client.put(key, "hello", fields)
        let tag = "\"5d41402abc4b2a76b9719d911017c592\""
        #expect(put.status == 200, "\(put.text)")
        #expect(put["ETag"] == tag)
        let got = try client.get(key)
        #expect(got.status == 200)
        #expect(got.text == "hello")
        let head = try client.ask("HEAD", key)
        #expect(head.body.isEmpty)
        for answer in [got, head] {
            #expect(answer["Content-Length"] == "5")
            #expect(answer["Content-Type"] == "text/plain")
            #expect(answer["x-amz-meta-pawl"] == "queue-7")
            #expect(answer["ETag"] == tag)
            #expect(answer["Accept-Ranges"] == "bytes")
            #expect(answer["Last-Modified"].flatMap { HTTPDate(parsing: $0) } != nil)
        }
        let range = try client.get(key, ["Range": "bytes=1-2"])
        #expect(range.status == 206)
        #expect(range.text == "el")
        #expect(range["Content-Range"] == "bytes 1-2/5")
        // Deleting is repeatable.
        for _ in 0..<2 { #expect(try client.ask("DELETE", key).status == 204) }
        #expect(try client.get(key).status == 404)
    }

    @Test(arguments: BucketKind.available)
    func `errors have codes`(kind: BucketKind) async throws {
        var client = try await BucketScene(kind).client
        let missing = try client.get("none")
        #expect(missing.status == 404)
        #expect(missing.element("Code") == "NoSuchKey")
        let head = try client.ask("HEAD", "none")
        #expect(head.status == 404)
        #expect(head.body.isEmpty)
        _ = try client.put("short", "hello")
        let range = try client.get("short", ["Range": "bytes=9-"])
        #expect(range.status == 416)
        #expect(range.element("Code") == "InvalidRange")
        client.bucket = "no-such-bucket"
        let bucket = try client.get("short")
        #expect(bucket.status == 404)
        #expect(bucket.element("Code") == "NoSuchBucket")
    }

    @Test(arguments: BucketKind.available)
    func `an object is written and read on conditions`(kind: BucketKind) async throws {
        let client = try await BucketScene(kind).client
        let first = try client.put("k", "one", ["If-None-Match": "*"])
        #expect(first.status == 200)
        let again = try client.put("k", "two", ["If-None-Match": "*"])
        #expect(again.status == 412)
        #expect(again.element("Code") == "PreconditionFailed")
        let other = try client.put("k", "two", ["If-Match": "\"0123\""])
        #expect(other.status == 412)
        let tag = try #require(first["ETag"])
        #expect(try client.get("k").text == "one")
        #expect(try client.get("k", ["If-Match": "\"0123\""]).status == 412)
        #expect(try client.put("k", "two", ["If-Match": tag]).status == 200)
        #expect(try client.get("k").text == "two")
    }

    /// A late upload by an old owner has a number that nobody lists.
    @Test(arguments: BucketKind.available)
    func `listed parts make an object in the order of their numbers`(
        kind: BucketKind
    ) async throws {
        let client = try await BucketScene(kind).client
        let upload = try client.createUpload("m", ["x-amz-meta-pawl": "queue-7"])
        let last = try client.putPart(9, of: "m", upload, Array("tail".utf8))
        let first = try client.putPart(2, of: "m", upload, Self.large)
        let unlisted = try client.putPart(5, of: "m", upload, Array("stale".utf8))
        for part in [last, first, unlisted] { #expect(part.status == 200, "\(part.text)") }
        let parts = try client.ask("GET", "m", [("uploadId", upload)])
        #expect(parts.elements("PartNumber") == ["2", "5", "9"])
        #expect(parts.elements("Size") == ["5242880", "5", "4"])
        let tags = [first, unlisted, last].map { $0["ETag"] }
        #expect(parts.elements("ETag") == tags.compactMap(\.self))
        #expect(try client.get("m").status == 404)
        let open = try client.ask("GET", "", [("uploads", "")])
        #expect(open.elements("UploadId") == [upload])
        #expect(open.elements("Key") == ["m"])

        let list: [BucketClient.CompletedPart] = [(2, first["ETag"], ""), (9, last["ETag"], "")]
        let done = try client.complete("m", upload, list)
        #expect(done.status == 200)
        #expect(done.element("Key") == "m")
        let got = try client.get("m")
        #expect(got.body == Self.large + Array("tail".utf8))
        #expect(got["x-amz-meta-pawl"] == "queue-7")
        #expect(got["ETag"] == done.element("ETag"))
        #expect(got["ETag"]?.hasSuffix("-2\"") == true)
        #expect(try client.ask("GET", "", [("uploads", "")]).elements("UploadId").isEmpty)
        #expect(try client.ask("GET", "m", [("uploadId", upload)]).status == 404)
        // The same list again is answered in the same way.
        let again = try client.complete("m", upload, list)
        #expect(again.status == 200)
        #expect(again.element("ETag") == done.element("ETag"))
    }

    @Test(arguments: BucketKind.available)
    func `a list that does not fit the parts is refused, and the upload stays`(
        kind: BucketKind
    ) async throws {
        let client = try await BucketScene(kind).client
        let upload = try client.createUpload("m")
        let small = try client.putPart(1, of: "m", upload, Array("a".utf8))["ETag"]
        let other = try client.putPart(2, of: "m", upload, Array("b".utf8))["ETag"]
        let lists: [(list: [BucketClient.CompletedPart], code: String)] = [
            ([(1, small, ""), (2, other, "")], "EntityTooSmall"),
            ([(1, other, "")], "InvalidPart"), ([(3, small, "")], "InvalidPart"),
            ([], "MalformedXML"),
        ]
        for (list, code) in lists {
            let answer = try client.complete("m", upload, list)
            #expect(answer.status == 400, "\(code)")
            #expect(answer.element("Code") == code)
        }
        let document = try client.complete("m", upload, document: "<a/>")
        #expect(document.element("Code") == "MalformedXML")
        #expect(try client.get("m").status == 404)
        #expect(try client.complete("m", upload, [(2, other, "")]).status == 200)
        #expect(try client.get("m").text == "b")
    }

    @Test(arguments: BucketKind.available)
    func `an upload completes on conditions`(kind: BucketKind) async throws {
        let client = try await BucketScene(kind).client
        let upload = try client.createUpload("m")
        let part = try client.putPart(1, of: "m", upload, Array("new".utf8))["ETag"]
        _ = try client.put("m", "old")
        let refused = try client.complete("m", upload, [(1, part, "")], ["If-None-Match": "*"])
        #expect(refused.status == 412)
        #expect(refused.element("Code") == "PreconditionFailed")
        #expect(try client.get("m").text == "old")
        #expect(try client.ask("DELETE", "m").status == 204)
        let done = try client.complete("m", upload, [(1, part, "")], ["If-None-Match": "*"])
        #expect(done.status == 200)
        #expect(try client.get("m").text == "new")
    }

    @Test(arguments: BucketKind.available)
    func `an aborted upload is gone`(kind: BucketKind) async throws {
        let client = try await BucketScene(kind).client
        let upload = try client.createUpload("m")
        _ = try client.putPart(1, of: "m", upload, Array("a".utf8))
        #expect(try client.ask("DELETE", "m", [("uploadId", upload)]).status == 204)
        for method in ["DELETE", "GET"] {
            let answer = try client.ask(method, "m", [("uploadId", upload)])
            #expect(answer.status == 404)
            #expect(answer.element("Code") == "NoSuchUpload")
        }
        #expect(try client.ask("GET", "", [("uploads", "")]).elements("UploadId").isEmpty)
    }

    @Test(arguments: BucketKind.available)
    func `a part can be a range of another object`(kind: BucketKind) async throws {
        let client = try await BucketScene(kind).client
        _ = try client.put("source +", "hello")
        let upload = try client.createUpload("m")
        let copy = try client.ask(
            "PUT",
            "m",
            client.part(1, upload),
            fields: [
                "x-amz-copy-source": "/photos/source%20%2B", "x-amz-copy-source-range": "bytes=1-3",
            ]
        )
        #expect(copy.status == 200, "\(copy.text)")
        let done = try client.complete("m", upload, [(1, copy.element("ETag"), "")])
        #expect(done.status == 200)
        #expect(try client.get("m").text == "ell")
        let outside = try client.ask(
            "PUT",
            "m",
            client.part(10_001, try client.createUpload("m")),
            body: [1]
        )
        #expect(outside.status == 400)
        #expect(outside.element("Code") == "InvalidArgument")
    }

    @Test(arguments: BucketKind.available)
    func `a list of objects continues where the last page ended`(kind: BucketKind) async throws {
        let scene = try await BucketScene(kind)
        let client = scene.client
        let keys = ["a/1", "a/2+ é", "a/b/3", "a/b/4", "a/c"]
        for key in keys + ["b"] { _ = try client.put(key, key) }
        var found: [String] = []
        var token: String?
        repeat {
            var query: BucketClient.Query = [
                ("list-type", "2"), ("prefix", "a/"), ("max-keys", "2"), ("encoding-type", "url"),
            ]
            if let token { query.append(("continuation-token", token)) }
            let page = try client.ask("GET", "", query)
            #expect(page.status == 200)
            found += page.elements("Key").map { $0.replacing("+", with: " ").percentDecoded }
            token =
                page.element("IsTruncated") == "true"
                ? page.element("NextContinuationToken") : nil
        } while token != nil && found.count < 9
        #expect(found == keys)
        let folders: BucketClient.Query = [
            ("list-type", "2"), ("prefix", "a/"), ("delimiter", "/"),
        ]
        let page = try client.ask("GET", "", folders)
        #expect(page.elements("Key") == ["a/1", "a/2+ é", "a/c"])
        #expect(page.elements("Prefix").contains("a/b/"))

        // Today's client reads it, too.
        let request = try scene.request("s3://photos/a/")
        var reader = BucketReader(try #require(S3Listing(below: request.url)), request)
        let session = DownloadScene.session()
        var paths: [String] = []
        while let objects = try await reader.nextPage(in: session) { paths += objects.map(\.path) }
        #expect(paths == ["1", "2+ é", "b/3", "b/4", "c"])
    }

    @Test(arguments: BucketKind.available)
    func `an object is downloaded over several connections`(kind: BucketKind) async throws {
        let scene = try await BucketScene(kind)
        let resource = Resource(size: 12_000_000)
        let put = try scene.client.ask("PUT", "disk.iso", body: resource.bytes())
        #expect(put.status == 200)
        let folder = try ScratchFolder()
        let session = DownloadScene.session()
        let task = session.downloadTask(
            with: try scene.request("s3://photos/disk.iso"),
            to: .file(folder.path("disk.iso"))
        )
        _ = try await session.finish(task)
        #expect(try folder.read("disk.iso") == resource.bytes())
    }

    /// boto3 signs, checks and frames its requests with code of its own.
    @Test(.enabled(if: MotoServer.isInstalled), arguments: BucketKind.available)
    func `AWS's own client agrees`(kind: BucketKind) async throws {
        let scene = try await BucketScene(kind)
        try await runOwnClient(scene.endpoint, scene.client.credentials, authority: "")
    }

    /// It then sends checksums as trailers.
    @Test(.enabled(if: MotoServer.isInstalled))
    func `AWS's own client agrees over TLS`() async throws {
        let bucket = try ScriptedBucket(tls: true)
        let folder = try ScratchFolder()
        try folder.write("ca.pem", try #require(bucket.certificatePEM))
        try await runOwnClient(
            bucket.endpoint(host: "localhost"),
            BucketClient(bucket).credentials,
            authority: folder.path("ca.pem")
        )
        let puts = bucket.requests(.putObject)
        #expect(puts.contains { $0["x-amz-trailer"] == "x-amz-checksum-crc32" })
    }

    private func runOwnClient(
        _ endpoint: String,
        _ credentials: S3Credentials,
        authority: String
    ) async throws {
        let arguments = [endpoint, credentials.keyID, credentials.secret, authority]
        let run = try await ProcessRunner.run(
            MotoServer.python,
            [try ClientProgram.path("boto3_client.py")] + arguments,
            ProcessSettings(environment: ["NO_PROXY": "*", "AWS_CONFIG_FILE": "/nonexistent"])
        )
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(run.output.contains("agreed"))
    }
}
