import Glibc
import PawlCore
import PawlTesting
import Testing

/// `file:` and `data:` URLs.
@Suite(.timeLimit(.minutes(5)))
struct LocalSourceTests {
    private let resource = Resource(size: 3_000_000)

    /// The URL of a file that the test has in a folder of its own.
    private func url(_ sources: ScratchFolder, _ name: String) -> String {
        "file://\(sources.path(name.replacing(" ", with: "%20")))"
    }

    @Test(arguments: ["1", "4"])
    func `a file over one and several connections`(connections: String) async throws {
        let (workshop, sources) = (try Workshop(), try ScratchFolder())
        try sources.write("my disk.iso", resource.bytes())
        let run = try await workshop.run(url(sources, "my disk.iso"), "-x", connections)
        #expect(run.status == .code(0), "\(run.errors)")
        try expectExact("my disk.iso", resource, in: workshop)
    }

    @Test func `an empty file, its modification time, and a file in order on standard output`()
        async throws
    {
        let (workshop, sources) = (try Workshop(), try ScratchFolder())
        let path = try sources.write("empty", [UInt8]())
        try sources.write("disk.iso", resource.bytes())
        let run = try await workshop.run("file:" + path, "-R")
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(workshop.folder.size("empty") == 0)
        let piped = try workshop.start(
            url(sources, "disk.iso"),
            "--output",
            "-",
            "--limit-rate",
            "8M"
        )
        #expect(await piped.waitForExit() == .code(0), "\(piped.errors)")
        #expect(piped.outputBytes == resource.bytes())
    }

    @Test func `a download continues after a kill, unless the file has changed`() async throws {
        let (workshop, sources) = (try Workshop(), try ScratchFolder())
        let large = Resource(size: 40 << 20)
        try sources.write("disk.iso", large.bytes())
        let address = url(sources, "disk.iso")
        for isChanged in [false, true] {
            let runner = try workshop.start(
                address,
                "--limit-rate",
                Workshop.crawl,
                "-o",
                "\(isChanged)"
            )
            try await workshop.wait(of: "\(isChanged)", by: runner)
            runner.signal(SIGKILL)
            _ = await runner.waitForExit()
            let bytes = isChanged ? Resource(size: 40 << 20, seed: 9).bytes() : large.bytes()
            if isChanged { try sources.write("disk.iso", bytes) }
            let run = try await workshop.run(address, "-o", "\(isChanged)")
            #expect(run.status == .code(0), "\(run.errors)")
            #expect(run.errors.contains("starting over") == isChanged, "\(run.errors)")
            #expect(try workshop.folder.read("\(isChanged)") == bytes)
        }
    }

    @Test func `what is not a file of this computer is refused`() async throws {
        let (workshop, sources) = (try Workshop(), try ScratchFolder())
        try sources.makeFolder("folder")
        #expect(mkfifo(sources.path("pipe"), 0o600) == 0)
        let refusals = [
            (url(sources, "missing"), "404 no such file"),
            (url(sources, "folder"), "404 it is a folder"),
            (url(sources, "pipe"), "404 it is not a regular file"),
            ("file:///dev/zero", "404 it is not a regular file"),
            ("file:///proc/self/status", "404 it is not a regular file"),
            (url(sources, "folder/"), "it names a folder"),
            ("file://host.example/disk.iso", "it names no file of this computer"),
            ("file:disk.iso", "it names no file of this computer"),
            ("data:text/plain", "it is not valid"),
            ("data:;base64,=a", "it is not valid"),
        ]
        for (address, reason) in refusals {
            let run = try await workshop.run(address)
            #expect(run.status != .code(0))
            #expect(run.errors.contains(reason), "\(address): \(run.errors)")
        }
        let run = try await workshop.run("--data", "a=b", "data:,x", "-o", "x")
        #expect(run.errors.contains("a method or a body can be sent only to an HTTP server"))
        #expect(workshop.folder.list().isEmpty)
    }

    @Test func `the bytes of a data URL`() async throws {
        let workshop = try Workshop()
        let forms = [
            ("data:,a%20b?c", "a b?c"), ("data:text/plain;charset=UTF-8;base64,w6Q", "ä"),
            ("data:text/plain;BASE64,%77%36%51%3D", "ä"), ("data:application/x-a,", ""),
        ]
        for (index, (address, text)) in forms.enumerated() {
            let run = try await workshop.run(address, "-o", "\(index)")
            #expect(run.status == .code(0), "\(run.errors)")
            #expect(try workshop.folder.readText("\(index)") == text)
        }
        let page = try await workshop.run("data:text/html,hidden")
        #expect(page.output == "./index.html\n")
        #expect(!page.errors.contains("hidden"), "\(page.errors)")
    }

    @Test func `a list of a server names no file of this computer`() async throws {
        let (workshop, sources) = (try Workshop(), try ScratchFolder())
        try sources.write("secret", "key")
        workshop.serve(.resource(Resource(text: url(sources, "secret") + "\n")), at: "/list")
        let run = try await workshop.run("-i", workshop.origin.url("/list"))
        #expect(run.status == .code(ErrorCode.usage.exitStatus))
        #expect(run.errors.contains("can only name HTTP URLs"), "\(run.errors)")
    }

    @Test func `a copy on this computer as a mirror`() async throws {
        let (workshop, sources) = (try Workshop(), try ScratchFolder())
        try sources.write("disk.iso", resource.bytes())
        workshop.serve(.status(404))
        let run = try await workshop.run(
            workshop.url,
            "--mirror",
            url(sources, "disk.iso"),
            "--checksum",
            try #require(resource.digest(.sha256)).description
        )
        #expect(run.status == .code(0), "\(run.errors)")
        try expectExact("disk.iso", resource, in: workshop)
    }
}
