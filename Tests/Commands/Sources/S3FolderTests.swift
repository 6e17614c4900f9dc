import PawlCore
import PawlTesting
import Testing

/// Folders of buckets.
@Suite(.timeLimit(.minutes(5)))
struct S3FolderTests {
    private static let list = "/photos/?list-type=2"

    /// A page of a list of objects.
    private func page(_ keys: [String], next: String? = nil) -> Reply {
        let more = next.map { "<NextContinuationToken>\($0)</NextContinuationToken>" } ?? ""
        let objects = keys.map { "<Contents><Key>\($0)</Key><Size>1</Size></Contents>" }.joined()
        return .status(
            200,
            fields: [("Content-Type", "application/xml")],
            body: "<ListBucketResult><EncodingType>url</EncodingType>"
                + "<IsTruncated>\(next != nil)</IsTruncated>\(more)\(objects)</ListBucketResult>"
        )
    }

    private func files(in folder: String) -> [String] {
        FolderTree.entries(below: folder).filter { !$0.hasSuffix("/") }
    }

    private func serve(_ pages: [Reply], _ workshop: Workshop) {
        workshop.serve(.sequence(pages), at: "/photos/")
        workshop.origin.route("/photos/*", .resource(Resource(text: "x")))
    }

    @Test(.enabled(if: MotoServer.isInstalled))
    func `all objects below a folder keep their paths`() async throws {
        let server = try await MotoServer()
        for key in ["trip/a.txt", "trip/b/c%20d%2B.txt", "trip/b/e/f.txt", "trips/other.txt", "x"] {
            try await server.store(Array(key.utf8), as: key)
        }
        try await server.store([], as: "trip/b/")
        let (id, secret) = try await server.checkSignatures()
        let workshop = try Workshop()
        let settings = ProcessSettings.aws(at: server.endpoint, id, secret)
        let folder = "s3://\(MotoServer.bucket)/trip/"
        let run = try await workshop.run(folder, "-d", "into", settings: settings)
        #expect(run.status == .code(0), "\(run.errors)")
        let found = files(in: workshop.folder.path("into"))
        #expect(found == ["a.txt", "b/c d+.txt", "b/e/f.txt"])
        #expect(try workshop.folder.readText("into/b/c d+.txt") == "trip/b/c%20d%2B.txt")
        let missing = try await workshop.run(
            "s3://\(MotoServer.bucket)/none/",
            settings: settings
        )
        expectFailure(.notFound, missing)
    }

    @Test func `a list of several pages`() async throws {
        let workshop = try Workshop()
        serve(
            [page(["a/1", "a/2"], next: "t/1"), page(["a/3"], next: "t2"), page(["a/4"])],
            workshop
        )
        let run = try await workshop.run(
            "s3://photos/a/",
            settings: .aws(at: workshop.origin.url(""))
        )
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(workshop.folder.list() == ["1", "2", "3", "4"])
        let lists = workshop.origin.requests(to: "/photos/").map(\.target)
        #expect(lists.count == 3)
        #expect(lists[1].contains("continuation-token=t%2F1"), "\(lists)")
        #expect(lists.allSatisfy { $0.contains("prefix=a%2F") })
        // A second run finds all files.
        serve([page(["a/1", "a/2", "a/3", "a/4"])], workshop)
        let again = try await workshop.run(
            "s3://photos/a/",
            settings: .aws(at: workshop.origin.url(""))
        )
        #expect(again.status == .code(0), "\(again.errors)")
        #expect(workshop.folder.list() == ["1", "2", "3", "4"])
    }

    @Test func `no key leads out of the folder`() async throws {
        let workshop = try Workshop()
        serve(
            [
                page([
                    "a/../../../outside", "a//etc/passwd", "a/.ssh/authorized_keys", "a/%07bell",
                    "a/..%5C..%5Cx", "../b", "/etc/passwd",
                ])
            ],
            workshop
        )
        try workshop.folder.makeFolder("in")
        let run = try await workshop.run(
            "s3://photos/a/",
            "-d",
            "in/to",
            settings: .aws(at: workshop.origin.url(""))
        )
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(workshop.folder.list() == ["in"])
        #expect(
            files(in: workshop.folder.path("in"))
                == [
                    "to/_/_/_/outside", "to/_bell", "to/etc/passwd", "to/ssh/authorized_keys",
                    "to/x",
                ]
        )
    }

    @Test func `keys with one name get numbers`() async throws {
        let workshop = try Workshop()
        serve([page(["a/x.txt", "a/.x.txt", "a/x.txt/y"])], workshop)
        let run = try await workshop.run(
            "s3://photos/a/",
            settings: .aws(at: workshop.origin.url(""))
        )
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(
            files(in: workshop.folder.path) == ["x.1.txt", "x.2.txt/y", "x.txt"]
        )
    }

    @Test(arguments: ["InternalError", "SlowDown", "ServiceUnavailable"])
    func `a temporary error in place of a list is tried again`(code: String) async throws {
        let workshop = try Workshop()
        let error = Reply.status(
            200,
            body: "<?xml version=\"1.0\"?>\n<Error><Code>\(code)</Code></Error>"
        )
        serve([page(["a/1"], next: "t"), error, page(["a/2"])], workshop)
        let settings = ProcessSettings.aws(at: workshop.origin.url(""))
        let run = try await workshop.run("s3://photos/a/", settings: settings)
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(workshop.folder.list() == ["1", "2"])
        #expect(workshop.origin.requests(to: "/photos/").count == 3)
        serve([error], workshop)
        let lasting = try await workshop.run(
            "s3://photos/a/",
            "--retries",
            "0",
            settings: settings
        )
        expectFailure(.serverBusy, lasting)
        #expect(lasting.errors.contains("s3://photos answered 50"), "\(lasting.errors)")
        #expect(lasting.errors.contains(code), "\(lasting.errors)")
    }

    @Test func `another error in place of a list is not tried again`() async throws {
        let workshop = try Workshop()
        serve(
            [.status(200, body: "<Error><Code>AccessDenied</Code></Error>"), page(["a/1"])],
            workshop
        )
        let run = try await workshop.run(
            "s3://photos/a/",
            settings: .aws(at: workshop.origin.url(""))
        )
        expectFailure(.badResponse, run)
        #expect(run.errors.contains("no list of objects: AccessDenied"), "\(run.errors)")
    }

    @Test func `a list that is not a list is an error`() async throws {
        let workshop = try Workshop()
        for reply in [
            Reply.status(200, body: "<!DOCTYPE a [<!ENTITY b 'b'>]><ListBucketResult/>"),
            .htmlPortal, page([], next: "same"),
        ] {
            serve([reply], workshop)
            let run = try await workshop.run(
                "s3://photos/a/",
                settings: .aws(at: workshop.origin.url(""))
            )
            expectFailure(.badResponse, run)
        }
        workshop.serve(
            .status(403, body: "<Error><Code>AccessDenied</Code></Error>"),
            at: "/photos/"
        )
        let refused = try await workshop.run(
            "s3://photos/a/",
            settings: .aws(at: workshop.origin.url(""))
        )
        expectFailure(.unauthorized, refused)
        #expect(refused.errors.contains("403 AccessDenied"), "\(refused.errors)")
        #expect(workshop.folder.list().isEmpty)
    }

    @Test func `a folder has no output and no checksum`() async throws {
        for option in [["-o", "x"], ["--checksum", "md5=d41d8cd98f00b204e9800998ecf8427e"]] {
            let workshop = try Workshop()
            serve([page(["a/1", "a/2"])], workshop)
            let run = try await workshop.run(
                ["s3://photos/a/"] + option,
                .aws(at: workshop.origin.url(""))
            )
            expectFailure(.usage, run)
            #expect(workshop.folder.list().isEmpty)
        }
    }
}
