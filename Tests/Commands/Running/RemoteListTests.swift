import PawlCore
import PawlTesting
import Testing

/// `pawl -i URL`: a list on a server.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct RemoteListTests {
    private let resource = Resource(size: 300_000)

    private func workshop(_ list: (Workshop) -> String) throws -> Workshop {
        let workshop = try Workshop(resource)
        workshop.serve(.resource(Resource(text: list(workshop))), at: "/list")
        return workshop
    }

    private func run(_ workshop: Workshop) async throws -> FinishedProcess {
        try await workshop.run("-i", workshop.origin.url("/list"))
    }

    @Test func `the URLs of a list on a server are downloaded`() async throws {
        let digest = try #require(resource.digest(.sha256))
        let workshop = try workshop { workshop in
            "# files\n\(workshop.url)\n  output=a/b.iso\n  checksum=\(digest)\n"
        }
        let run = try await run(workshop)
        #expect(run.status == .code(0), "\(run.errors)")
        try expectExact("a/b.iso", resource, in: workshop)
        #expect(run.output == "a/b.iso\n")
    }

    @Test(arguments: [
        "directory=/tmp", "output=/tmp/evil", "output=../evil", "output=a/../../evil",
        "output=.ssh/authorized_keys", "output=a/.b", "output=x.part", "output=x.part.pawl",
        "header-file=list", "cacert=list", "netrc=list", "data=@list", "if-exists=overwrite",
        "hsts=list", "auth=negotiate", "insecure=true", "proxy=socks5://proxy.example",
        "adopt=true",
    ])
    func `such a list names no local file and leads nowhere else`(option: String) async throws {
        let workshop = try workshop { "\($0.url)\n  \(option)\n" }
        try workshop.folder.write("list", "X-Secret: 1\n")
        let run = try await run(workshop)
        expectFailure(.usage, run)
        #expect(run.errors.contains("line 2"))
        #expect(workshop.folder.list() == ["list"])
        #expect(workshop.origin.requests.map(\.path) == ["/list"])
    }

    @Test(arguments: [["--user", "me:s3cret"], ["-H", "Cookie: a=b"], ["--data", "a"]])
    func `secrets are not sent to the servers that such a list names`(
        options: [String]
    ) async throws {
        let workshop = try workshop { "\($0.url)\n" }
        let run = try await workshop.run(["-i", workshop.origin.url("/list")] + options)
        expectFailure(.usage, run)
        #expect(workshop.origin.requests.isEmpty)
    }

    @Test func `an error of the server or in the list is reported`() async throws {
        let workshop = try Workshop(resource)
        expectFailure(.notFound, try await run(workshop))
        let binary = try Workshop(resource)
        binary.serve(.resource(Resource(bytes: [0xFF, 0xFE, 0])), at: "/list")
        expectFailure(.usage, try await run(binary))
    }
}
