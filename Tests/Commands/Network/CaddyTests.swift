import Glibc
import PawlCore
import PawlTesting
import Testing

/// HTTP/2, from Caddy.
@Suite(.timeLimit(.minutes(5)))
struct CaddyTests {
    private let workshop: Workshop
    private let server: CaddyServer

    init() async throws {
        workshop = try Workshop()
        server = try await CaddyServer()
    }

    private func options(_ arguments: String...) -> [String] {
        ["--cacert", server.authority] + arguments
    }

    @Test func `the segments of a file are fetched over HTTP 2 on request`() async throws {
        let resource = Resource(size: 12 << 20)
        try server.put("disk.iso", resource.bytes())
        let run = try await workshop.run(
            [server.url("disk.iso")] + options("--http2", "-x", "4")
        )
        try expectOnly("disk.iso", resource, in: workshop, run)
        let requests = try await server.close()
        #expect(requests.allSatisfy { $0.request.proto == "HTTP/2.0" })
        #expect(requests.count { $0.status == 206 } > 0)
    }

    @Test func `small files share a connection or two`() async throws {
        let resources = (0..<40).map { Resource(size: 10_000 + Int64($0), seed: UInt64($0)) }
        for (number, resource) in resources.enumerated() {
            try server.put("f\(number)", resource.bytes())
        }
        try workshop.folder.write(
            "list",
            resources.indices.map { server.url("f\($0)") + "\n" }.joined()
        )
        let run = try await workshop.run(options("-i", "list", "-j", "20"))
        #expect(run.status == .code(0), "\(run.errors)")
        for (number, resource) in resources.enumerated() {
            try expectExact("f\(number)", resource, in: workshop)
        }
        let requests = try await server.close()
        #expect(requests.count == 40)
        // The first does not know yet that there are others.
        #expect(Set(requests.map(\.request.remotePort)).count <= 2)
        #expect(requests.count { $0.request.proto == "HTTP/2.0" } >= 38)
    }

    @Test func `an interrupted download is resumed, and starts over if the file has changed`()
        async throws
    {
        for changes in [false, true] {
            let name = "changes-\(changes)"
            let old = Resource(size: 24_000_000)
            let new = changes ? Resource(size: 24_000_000, seed: 7) : old
            try server.put(name, old.bytes())
            let runner = try workshop.start(
                arguments: [server.url(name)]
                    + options("--http2", "--limit", Workshop.crawl, "-x", "1")
            )
            try await workshop.wait(of: name, by: runner)
            runner.signal(SIGINT)
            await runner.waitForExit()
            if changes { try server.put(name, new.bytes()) }
            let run = try await workshop.run(
                [server.url(name)] + options("--http2", "-x", "4", "-v")
            )
            #expect(run.status == .code(0), "\(run.errors)")
            try expectExact(name, new, in: workshop)
            #expect(run.errors.contains("changed on the server") == changes, "\(run.errors)")
        }
    }

    @Test func `a missing file is an error`() async throws {
        let run = try await workshop.run([server.url("missing")] + options("--http2"))
        expectFailure(.notFound, run)
        #expect(workshop.folder.list().isEmpty)
    }
}
