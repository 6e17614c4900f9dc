import Glibc
import PawlCore
import PawlTesting
import Testing

/// Secrets are sent only to their origin, and are neither displayed nor stored.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct SecretTests {
    private let resource = Resource(size: 300_000)

    private func expectNo(
        _ secrets: [String],
        in text: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        for secret in secrets {
            #expect(!text.contains(secret), sourceLocation: sourceLocation)
        }
    }

    private func signedIn(_ reply: Reply) -> Reply {
        reply.requireBasic(name: "nobody", password: "hunter2")
    }

    private let secretOptions = [
        "-H", "Cookie: session=c00kie-s3cret", "-H", "X-Api-Key: k3y-s3cret", "-H",
        "X-Own: one", "--redirect-header", "X-Plain: stays", "-v",
    ]
    private let secrets = ["c00kie-s3cret", "k3y-s3cret", "hunter2", "bm9ib2R5", "b3arer"]

    private func expectSecretsStay(
        _ workshop: Workshop,
        _ other: ScriptedOrigin,
        _ run: FinishedProcess
    ) throws {
        try expectOnly(Workshop.name, resource, in: workshop, run)
        let first = try #require(workshop.origin.requests.last)
        #expect(first["Cookie"] == "session=c00kie-s3cret")
        #expect(first["X-Api-Key"] == "k3y-s3cret")
        #expect(first["Authorization"] != nil)
        let second = try #require(other.requests.first)
        #expect(second["Cookie"] == nil)
        #expect(second["X-Api-Key"] == nil)
        #expect(second["Authorization"] == nil)
        #expect(second["X-Plain"] == "stays" && second["X-Own"] == nil)
        let sent = other.requests.flatMap { $0.fields.map(\.value) + [$0.target] }.joined()
        expectNo(secrets, in: sent)
        expectNo(secrets, in: run.everything)
    }

    @Test func `a secret in the path is not displayed and not part of the file's name`()
        async throws
    {
        let workshop = try Workshop()
        let target = "/\(Workshop.name);key=k3y-s3cret"
        workshop.serve(.resource(resource), at: target)
        let run = try await workshop.run(workshop.origin.url(target), "-v")
        try expectOnly(Workshop.name, resource, in: workshop, run)
        #expect(workshop.origin.requests.map(\.target) == [target])
        expectNo(["k3y-s3cret"], in: run.everything)
    }

    /// Another port, and the same port by another name, are other origins.
    @Test(arguments: ["127.0.0.1", "localhost"])
    func `no secret is sent to another origin after a redirect`(host: String) async throws {
        let workshop = try Workshop()
        let other = try ScriptedOrigin()
        other.route(Workshop.path, .resource(resource))
        workshop.serve(signedIn(.redirect(to: other.url(Workshop.path, host: host))))
        let run = try await workshop.run(
            [workshop.url, "--user", "nobody:hunter2"] + secretOptions
        )
        try expectSecretsStay(workshop, other, run)
    }

    @Test func `no secret is sent to the same server under another name`() async throws {
        let workshop = try Workshop()
        workshop.serve(.redirect(to: workshop.origin.url("/there", host: "localhost")))
        workshop.serve(.resource(resource), at: "/there")
        let run = try await workshop.run(
            [workshop.url, "-H", "Authorization: Bearer b3arer"] + secretOptions
        )
        try expectOnly(Workshop.name, resource, in: workshop, run)
        let there = try #require(workshop.origin.requests(to: "/there").first)
        #expect(there["Authorization"] == nil)
        #expect(there["Cookie"] == nil)
        #expect(there["X-Plain"] == "stays" && there["X-Own"] == nil)
        expectNo(secrets, in: run.everything)
    }

    @Test func `secrets are sent after a redirect within the origin`() async throws {
        let workshop = try Workshop()
        workshop.serve(signedIn(.redirect(to: "/there")))
        workshop.serve(signedIn(.resource(resource)), at: "/there")
        let run = try await workshop.run(
            [workshop.url, "--user", "nobody:hunter2"] + secretOptions
        )
        try expectOnly(Workshop.name, resource, in: workshop, run)
        let there = try #require(workshop.origin.requests(to: "/there").last)
        #expect(there["Authorization"] != nil)
        #expect(there["Cookie"] != nil)
        expectNo(secrets, in: run.everything)
    }

    @Test func `credentials in the URL are used and not displayed`() async throws {
        let workshop = try Workshop()
        workshop.serve(signedIn(.resource(resource)))
        let url = workshop.url.replacing("http://", with: "http://nobody:hunter2@")
        let run = try await workshop.run(url, "-v", "--progress", "json")
        try expectOnly(Workshop.name, resource, in: workshop, run)
        expectNo(secrets, in: run.everything)
    }

    @Test func `a signed URL and credentials are in no output and no file`() async throws {
        let workshop = try Workshop()
        let big = Resource(size: 12 << 20)
        let url =
            workshop.url.replacing("http://", with: "http://nobody:hunter2@")
            + "?file=1&X-Amz-Signature=s1gned&sig=s2gned&token=t0ken&Policy=p0licy"
        let hidden = secrets + ["s1gned", "s2gned", "t0ken", "p0licy"]
        let options = ["-v", "--progress", "json", "-H", "X-Api-Key: k3y-s3cret"]
        let runner = try await workshop.begin(big, [url] + options)
        runner.signal(SIGINT)
        #expect(await runner.waitForExit() == .code(7))
        expectNo(hidden, in: runner.output + runner.errors)
        for name in workshop.folder.list() {
            let bytes = try workshop.folder.read(name)
            for secret in hidden { #expect(!contains(bytes, secret), "\(name)") }
        }
        let inspection = try await workshop.run("inspect", "disk.iso.part")
        #expect(inspection.output.contains("file=1"))
        expectNo(hidden, in: inspection.everything)
        let source = try await workshop.run("inspect", url, "-v")
        expectNo(hidden, in: source.everything)

        workshop.serve(.status(403))
        let failed = try await workshop.run([url] + options)
        #expect(failed.status == .code(ErrorCode.unauthorized.exitStatus))
        expectNo(hidden, in: failed.everything)

        workshop.serve(.resource(big))
        let run = try await workshop.run([url] + options)
        #expect(run.status == .code(0))
        try expectExact(Workshop.name, big, in: workshop)
        expectNo(hidden, in: run.everything)
    }

    private func contains(_ bytes: [UInt8], _ text: String) -> Bool {
        let wanted = Array(text.utf8)
        return bytes.withUnsafeBytes { all in
            guard let base = all.baseAddress else { return false }
            var start = 0
            while let found = memchr(base + start, Int32(wanted[0]), all.count - start) {
                let index = UnsafeRawPointer(found) - base
                let rest = all.count - index
                if rest >= wanted.count, memcmp(found, wanted, wanted.count) == 0 { return true }
                start = index + 1
            }
            return false
        }
    }
}
