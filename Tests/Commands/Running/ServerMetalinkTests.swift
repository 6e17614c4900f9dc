import Glibc
import PawlCore
import PawlTesting
import Testing

/// Metalinks and signatures that a server names in its response (RFC 6249).
@Suite(.timeLimit(.minutes(5)))
struct ServerMetalinkTests {
    private static let piece: Int64 = 65_536
    private static let document = "/disk.iso.meta4"
    private let resource = Resource(size: 600_000)

    /// The file with a wrong byte in a piece.
    private func damaged(in piece: Int) -> Resource {
        var bytes = resource.bytes()
        bytes[piece * Int(Self.piece) + 5] ^= 1
        return Resource(bytes: bytes)
    }

    private func link(_ target: String = Self.document) -> String {
        "<\(target)>; rel=describedby; type=\"application/metalink4+xml\""
    }

    private func serve(_ workshop: Workshop, _ file: Resource, _ metalink: String) {
        workshop.serve(Reply.resource(file).adding("Link", link()))
        workshop.serve(.resource(Resource(text: metalink)), at: Self.document)
    }

    private func paths(_ workshop: Workshop) -> [String] { workshop.origin.requests.map(\.path) }

    @Test func `the Metalink has the checksum that is looked for`() async throws {
        let workshop = try Workshop()
        serve(workshop, resource, resource.metalink(urls: [workshop.url]))
        let run = try await workshop.run(workshop.url, "--checksum", "auto", "-x", "1")
        try expectOnly(Workshop.name, resource, in: workshop, run)
        #expect(run.errors.contains("verified sha256"), "\(run.errors)")
        #expect(Set(paths(workshop)) == [Workshop.path, Self.document])
        serve(workshop, damaged(in: 1), resource.metalink(urls: [workshop.url]))
        let wrong = try await workshop.run(
            workshop.url,
            "--checksum",
            "auto",
            "-o",
            "other"
        )
        expectFailure(.checksumMismatch, wrong)
    }

    @Test func `the Metalink is not fetched unless it is needed`() async throws {
        let workshop = try Workshop()
        serve(workshop, resource, resource.metalink(urls: [workshop.url], pieceLength: Self.piece))
        let digest = try #require(resource.digest(.sha256)).description
        for options in [[], ["--checksum", digest, "-o", "other"]] {
            let run = try await workshop.run([workshop.url] + options)
            #expect(run.status == .code(0), "\(run.errors)")
        }
        #expect(!paths(workshop).contains(Self.document))
    }

    @Test func `the contents of the Metalink are stored with the file`() async throws {
        let workshop = try Workshop()
        serve(workshop, resource, resource.metalink(urls: [workshop.url], pieceLength: Self.piece))
        let run = try await workshop.run(workshop.url, "--checksum", "auto")
        #expect(run.status == .code(0), "\(run.errors)")
        try workshop.folder.write(Workshop.name, damaged(in: 3).bytes())
        let found = try await workshop.run("verify", Workshop.name)
        expectFailure(.checksumMismatch, found)
        #expect(found.errors.contains("1 of its 10 pieces are damaged"), "\(found.errors)")
    }

    /// The server has a damaged file, and its Metalink names a mirror.
    @Test(arguments: [true, false])
    func `with a wrong checksum, only the damaged piece is fetched, from a mirror`(
        usesMirrors: Bool
    ) async throws {
        let workshop = try Workshop()
        let mirror = try ScriptedOrigin()
        mirror.route("/copy", .resource(resource))
        let urls = [workshop.url, mirror.url("/copy")]
        serve(
            workshop,
            damaged(in: 3),
            resource.metalink(urls: urls, pieceLength: Self.piece)
        )
        let digest = try #require(resource.digest(.sha256)).description
        let run = try await workshop.run(
            [workshop.url, "--checksum", digest, "-x", "1", "-u", "me:s3cret"]
                + (usesMirrors ? [] : ["--no-server-mirrors"])
        )
        guard usesMirrors else {
            expectFailure(.checksumMismatch, run)
            #expect(mirror.requests.isEmpty)
            return
        }
        try expectOnly(Workshop.name, resource, in: workshop, run)
        let asked = mirror.requests.requestedBytes(of: resource.size)
        #expect(asked == RangeSet(ByteRange(3 * Self.piece, 4 * Self.piece)), "\(asked)")
        #expect(mirror.requests.allSatisfy { $0["Authorization"] == nil })
        #expect(!run.everything.contains("s3cret"))
    }

    @Test func `digests of pieces alone are compared if a checksum is looked for`() async throws {
        let workshop = try Workshop()
        let metalink = resource.metalink(
            urls: [workshop.url],
            pieceLength: Self.piece,
            digest: false
        )
        serve(workshop, damaged(in: 2), metalink)
        let wrong = try await workshop.run(workshop.url, "--checksum", "auto", "-o", "wrong")
        expectFailure(.checksumMismatch, wrong)
        serve(workshop, resource, metalink)
        let run = try await workshop.run(workshop.url, "--checksum", "auto", "-o", "right")
        #expect(run.status == .code(0), "\(run.errors)")
        try expectExact("right", resource, in: workshop)
    }

    @Test func `the server of the URL gets its password for it`() async throws {
        let workshop = try Workshop()
        let metalink = Resource(text: resource.metalink(urls: [workshop.url]))
        workshop.serve(
            Reply.resource(resource).adding("Link", link())
                .requireBasic(name: "me", password: "hunter2")
        )
        workshop.serve(
            Reply.resource(metalink).requireBasic(name: "me", password: "hunter2"),
            at: Self.document
        )
        let run = try await workshop.run(
            workshop.url,
            "--checksum",
            "auto",
            "-u",
            "me:hunter2",
            "-v"
        )
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(run.errors.contains("verified sha256"), "\(run.errors)")
        #expect(!run.everything.contains("hunter2"))
    }

    /// It would decide about the file in place of the server that the user has named.
    @Test func `neither another server nor the target of a redirect can name a Metalink`()
        async throws
    {
        let workshop = try Workshop()
        let other = try ScriptedOrigin()
        let metalink = Reply.resource(Resource(text: resource.metalink(urls: [workshop.url])))
        other.route(Self.document, metalink)
        other.route("/moved", Reply.resource(resource).adding("Link", link()))
        workshop.serve(
            Reply.resource(resource).adding("Link", link(other.url(Self.document)))
        )
        workshop.serve(.redirect(to: other.url("/moved")), at: "/moving")
        for url in [workshop.url, workshop.origin.url("/moving")] {
            let run = try await workshop.run(url, "--checksum", "auto")
            #expect(run.status == .code(0), "\(run.errors)")
            #expect(!run.errors.contains("verified"), "\(run.errors)")
        }
        #expect(!other.requests.contains { $0.path == Self.document })
    }

    @Test func `a response that redirects can name a Metalink`() async throws {
        let workshop = try Workshop()
        let other = try ScriptedOrigin()
        other.route("/moved", .resource(resource))
        workshop.serve(Reply.redirect(to: other.url("/moved")).adding("Link", link()))
        workshop.serve(
            .resource(Resource(text: resource.metalink(urls: [other.url("/moved")]))),
            at: Self.document
        )
        let run = try await workshop.run(workshop.url, "--checksum", "auto")
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(run.errors.contains("verified sha256"), "\(run.errors)")
    }

    @Test(arguments: [
        "<html>not found</html>", "<metalink",
        "<metalink xmlns='urn:ietf:params:xml:ns:metalink'><file name='../x'><url>http://a/b</url></file></metalink>",
    ])
    func `a Metalink that cannot be used does no harm, and the search continues`(text: String)
        async throws
    {
        let workshop = try Workshop()
        serve(workshop, resource, text)
        let digest = try #require(resource.digest(.sha512)).hexadecimal
        workshop.serve(.resource(Resource(text: digest)), at: "/disk.iso.sha512")
        let run = try await workshop.run(workshop.url, "--checksum", "auto")
        try expectOnly(Workshop.name, resource, in: workshop, run)
        #expect(run.errors.contains("verified sha512"), "\(run.errors)")
    }

    @Test func `a Metalink without an end does no harm`() async throws {
        let workshop = try Workshop()
        workshop.serve(Reply.resource(damaged(in: 1)).adding("Link", link()))
        workshop.serve(
            .endless("HTTP/1.1 200 OK\r\n\r\n<metalink>", repeating: " "),
            at: Self.document
        )
        let digest = try #require(resource.digest(.sha256)).description
        let run = try await workshop.run(workshop.url, "--checksum", digest)
        expectFailure(.checksumMismatch, run)
        #expect(workshop.folder.list() == ["disk.iso.corrupt"])
    }

    @Test func `a Metalink that does not arrive does not delay an interruption`() async throws {
        let digest = try #require(resource.digest(.sha256)).description
        // After ten seconds, for which a busy machine may delay the signal, the status is that of a
        // wrong checksum.
        let isInterrupted = try await quietRound {
            let workshop = try Workshop()
            workshop.serve(Reply.resource(damaged(in: 1)).adding("Link", link()))
            workshop.serve(.never, at: Self.document)
            let runner = try workshop.start(workshop.url, "--checksum", digest, "-x", "1")
            await workshop.origin.waitForRequests(2)
            runner.signal(SIGINT)
            return await runner.waitForExit() == .code(ErrorCode.interrupted.exitStatus)
        }
        #expect(isInterrupted)
    }

    @Test func `the Metalink of another version of the file is not used for a repair`()
        async throws
    {
        let workshop = try Workshop()
        let newer = Resource(size: resource.size, seed: 7)
        serve(
            workshop,
            damaged(in: 1),
            newer.metalink(urls: [workshop.url], pieceLength: Self.piece)
        )
        let digest = try #require(resource.digest(.sha256)).description
        let run = try await workshop.run(workshop.url, "--checksum", digest, "-x", "1")
        expectFailure(.checksumMismatch, run)
        #expect(paths(workshop).count { $0 == Workshop.path } == 1, "\(paths(workshop))")
    }

    private static let signature = "-----BEGIN PGP SIGNATURE-----\n\nsigned\n"

    private func serveSigned(_ workshop: Workshop, _ text: String = Self.signature) {
        let link = "</disk.iso.sig>; rel=describedby; type=\"application/pgp-signature\""
        workshop.serve(Reply.resource(resource).adding("Link", link))
        workshop.serve(.resource(Resource(text: text)), at: "/disk.iso.sig")
    }

    @Test func `the signature that a server names is kept if a checksum is looked for`()
        async throws
    {
        let workshop = try Workshop()
        serveSigned(workshop)
        let plain = try await workshop.run(workshop.url, "-o", "plain")
        #expect(plain.status == .code(0), "\(plain.errors)")
        #expect(workshop.folder.list() == ["plain"])
        let run = try await workshop.run(workshop.url, "--checksum", "auto")
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(try workshop.folder.readText("disk.iso.asc") == Self.signature)
        #expect(run.output == "./disk.iso\n", "\(run.output)")
        #expect(workshop.folder.list() == ["disk.iso", "disk.iso.asc", "plain"])
    }

    @Test(arguments: ["<html>", "", "-----BEGIN PGP PUBLIC KEY BLOCK-----"])
    func `a page in place of a signature is not kept`(text: String) async throws {
        let workshop = try Workshop()
        serveSigned(workshop, text)
        let run = try await workshop.run(workshop.url, "--checksum", "auto")
        try expectOnly(Workshop.name, resource, in: workshop, run)
    }

    @Test func `the size of a signature is limited, and it replaces no file`() async throws {
        let workshop = try Workshop()
        serveSigned(workshop)
        workshop.serve(
            .endless("HTTP/1.1 200 OK\r\n\r\n-----BEGIN PGP SIGNATURE-----", repeating: "x"),
            at: "/disk.iso.sig"
        )
        let run = try await workshop.run(workshop.url, "--checksum", "auto")
        try expectOnly(Workshop.name, resource, in: workshop, run)
        serveSigned(workshop)
        try workshop.folder.write("other.asc", "mine")
        let second = try await workshop.run(workshop.url, "--checksum", "auto", "-o", "other")
        #expect(second.status == .code(0), "\(second.errors)")
        #expect(try workshop.folder.readText("other.asc") == "mine")
        #expect(workshop.folder.list() == ["disk.iso", "other", "other.asc"])
    }
}
