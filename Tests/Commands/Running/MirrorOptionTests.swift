import Glibc
import PawlCore
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)), .serialized)
struct MirrorOptionTests {
    private let resource = Resource(size: 400_000)

    /// Another server of the same file.
    private func mirror(_ reply: Reply? = nil) throws -> ScriptedOrigin {
        let mirror = try ScriptedOrigin()
        mirror.route(Workshop.path, reply ?? .resource(resource))
        return mirror
    }

    @Test func `a mirror takes part`() async throws {
        let (own, others) = (Latch(), Latch())
        let reply = Reply.resource(resource)
        let workshop = try Workshop()
        workshop.serve(reply.holdAfterBytes(1000, until: own))
        let mirror = try mirror(reply.holdAfterBytes(1000, until: others))
        async let finished = workshop.run(
            workshop.url,
            "-x",
            "2",
            "--mirror",
            mirror.url(Workshop.path)
        )
        await own.waitForArrivals()
        await others.waitForArrivals()
        others.release()
        await mirror.waitForBytes(1001)
        own.release()
        try expectOnly(Workshop.name, resource, in: workshop, try await finished)
        #expect(mirror.requests.contains { $0.bodyBytesSent > 1000 })
    }

    @Test func `a mirror serves a file that the first server no longer has`() async throws {
        let workshop = try Workshop()
        let mirror = try mirror()
        let absent = try self.mirror(.status(410))
        let run = try await workshop.run(
            workshop.url,
            "-v",
            "--mirror",
            absent.url(Workshop.path),
            "--mirror",
            mirror.url(Workshop.path)
        )
        try expectOnly(Workshop.name, resource, in: workshop, run)
        #expect(run.errors.contains("continuing with the other sources"))
    }

    @Test func `if no server has the file, the status is that of the failure`() async throws {
        let workshop = try Workshop()
        let mirror = try mirror(.status(404))
        let run = try await workshop.run(workshop.url, "--mirror", mirror.url(Workshop.path))
        expectFailure(.notFound, run)
        #expect(run.errors.contains("trying 2 sources"))
        #expect(workshop.folder.list().isEmpty)
    }

    @Test func `a mirror with another file is not used, and that is reported`() async throws {
        let latch = Latch()
        let workshop = try Workshop()
        workshop.serve(.resource(resource).holdAfterBytes(1000, until: latch))
        let mirror = try mirror(.resource(Resource(size: 400_000, seed: 9)))
        async let finished = workshop.run(
            workshop.url,
            "-v",
            "-x",
            "2",
            "--mirror",
            mirror.url(Workshop.path)
        )
        await mirror.waitUntil { $0.requests.contains { $0.end != nil } }
        latch.release()
        let run = try await finished
        try expectOnly(Workshop.name, resource, in: workshop, run)
        #expect(run.errors.contains("127.0.0.1:\(mirror.port) is not used: nothing proves"))
    }

    @Test func `in a list each URL has mirrors of its own`() async throws {
        let workshop = try Workshop()
        workshop.serve(.resource(Resource(text: "other")), at: "/other.txt")
        let mirror = try mirror()
        try workshop.folder.write(
            "list.txt",
            """
            \(workshop.url)
              mirror=\(mirror.url("/nothing"))
              mirror = \(mirror.url(Workshop.path))
            \(workshop.origin.url("/other.txt"))
            """
        )
        let run = try await workshop.run("-i", "list.txt")
        #expect(run.status == .code(0), "\(run.errors)")
        try expectExact(Workshop.name, resource, in: workshop)
        #expect(mirror.requests.count == 2)
    }

    @Test(arguments: [
        "gopher://host/file", "disk.iso", "https:///nothing", "file://host/passwd", "",
    ])
    func `an invalid URL of a mirror is an error before anything is changed`(text: String)
        async throws
    {
        let workshop = try Workshop(resource)
        let run = try await workshop.run(workshop.url, "--mirror", text)
        expectFailure(.usage, run)
        #expect(run.errors.contains("--mirror"))
        #expect(workshop.origin.requests.isEmpty)
        #expect(workshop.folder.list().isEmpty)
    }

    @Test func `one mirror for several URLs is an error`() async throws {
        let workshop = try Workshop(resource)
        let run = try await workshop.run(workshop.url, workshop.url, "--mirror", workshop.url)
        expectFailure(.usage, run)
        #expect(run.errors.contains("--mirror cannot be used with several URLs"))
    }

    @Test func `a mirror's password is sent to the mirror only`() async throws {
        let workshop = try Workshop()
        let latch = Latch()
        let reply = Reply.resource(resource).holdAfterBytes(1000, until: latch)
        workshop.serve(reply.requireBasic(name: "anna", password: "sierra"))
        let mirror = try mirror(reply.requireBasic(name: "m", password: "p@ss tango"))
        let address = mirror.url(Workshop.path).replacing("://", with: "://m:p%40ss%20tango@")
        async let finished = workshop.run(
            workshop.url,
            "-x",
            "2",
            "-v",
            "--user",
            "anna:sierra",
            "--mirror",
            address
        )
        await latch.waitForArrivals(2)
        latch.release()
        let run = try await finished
        #expect(run.status == .code(0), "\(run.errors)")
        try expectExact(Workshop.name, resource, in: workshop)
        let here = Set(workshop.origin.requests.compactMap { $0["Authorization"] })
        let there = Set(mirror.requests.compactMap { $0["Authorization"] })
        #expect(!here.isEmpty && !there.isEmpty)
        #expect(here.isDisjoint(with: there))
        #expect(!run.everything.contains("tango") && !run.everything.contains("sierra"))
    }

    @Test func `a checkpoint contains the sources without secrets, and inspect shows them`()
        async throws
    {
        let large = Resource(size: 12 << 20)
        let workshop = try Workshop()
        let mirror = try mirror(.resource(large))
        let address = mirror.url(Workshop.path + "?key=hunter2")
            .replacing("://", with: "://m:hunter3@")
        let runner = try await workshop.begin(large, [workshop.url, "--mirror", address])
        runner.signal(SIGINT)
        #expect(await runner.waitForExit() == .code(ErrorCode.interrupted.exitStatus))
        let checkpoint = String(
            decoding: try workshop.folder.read("disk.iso.part.pawl"),
            as: UTF8.self
        )
        #expect(checkpoint.contains("127.0.0.1:\(mirror.port)"))
        #expect(!checkpoint.contains("hunter"))
        let shown = try await workshop.run("inspect", "disk.iso.part")
        #expect(shown.output.contains("127.0.0.1:\(mirror.port)"))
    }
}
