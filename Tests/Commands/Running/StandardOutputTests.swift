import PawlCore
import PawlTesting
import Testing

/// What `pawl <url>` writes to standard output: paths, or the file itself.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct StandardOutputTests {
    private let resource = Resource(size: 300_000)

    /// Runs a shell with the program as `$0`.
    private func shell(_ script: String, _ workshop: Workshop) async throws -> FinishedProcess {
        try await ProcessRunner.run(
            "/bin/sh",
            ["-c", script, Workshop.program, workshop.url],
            workshop.complete(ProcessSettings())
        )
    }

    // MARK: - Paths

    @Test(arguments: [[], ["--quiet"], ["--progress", "none"]])
    func `a pipe gets the path of the file`(options: [String]) async throws {
        let workshop = try Workshop(resource)
        let run = try await workshop.run([workshop.url] + options)
        try expectOnly(Workshop.name, resource, in: workshop, run)
        #expect(run.output == "./\(Workshop.name)\n")
    }

    @Test func `each file has a line, even one that exists already`() async throws {
        let workshop = try Workshop(resource)
        workshop.serve(.resource(resource), at: "/b")
        _ = try await workshop.run(workshop.url, "--directory", "files")
        let run = try await workshop.run(
            workshop.url,
            workshop.origin.url("/b"),
            "--directory",
            "files"
        )
        #expect(run.status == .code(0))
        #expect(run.output.split(separator: "\n").sorted() == ["files/b", "files/disk.iso"])
    }

    @Test func `a reader of paths that reads nothing delays no download`() async throws {
        let workshop = try Workshop(resource)
        let count = 400
        for number in 1...count {
            workshop.serve(.resource(Resource(size: 100)), at: "/\(number)")
        }
        let folder = String(repeating: "n", count: 200)
        let urls = workshop.origin.url("/{1..\(count)}")
        // The paths have more bytes than a pipe.
        let script = #"mkfifo gate; "$0" -q -d \#(folder) '\#(urls)' | { cat gate; wc -l; }"#
        async let run = shell(script, workshop)
        await workshop.origin.waitUntil { $0.requests.count == count && $0.activeExchanges == 0 }
        _ = try await shell("echo open > gate", workshop)
        let finished = try await run
        #expect(finished.output == "open\n\(count)\n", "\(finished.errors)")
    }

    @Test func `a failed download has no line`() async throws {
        let workshop = try Workshop(resource)
        let run = try await workshop.run(workshop.url, workshop.origin.url("/missing"))
        #expect(run.output == "./\(Workshop.name)\n")
        #expect(run.status == .code(ErrorCode.notFound.exitStatus))
    }

    @Test func `a terminal gets no path`() async throws {
        let workshop = try Workshop(resource)
        let run = try await workshop.run(workshop.url, settings: .init(terminal: .init()))
        #expect(!run.output.contains("\n./\(Workshop.name)\r\n"))
    }

    @Test func `a closed standard output does no harm`() async throws {
        let workshop = try Workshop(resource)
        let run = try await shell(#""$0" "$1" >&-"#, workshop)
        try expectOnly(Workshop.name, resource, in: workshop, run)
    }

    @Test func `the file cannot be written to a closed standard output`() async throws {
        let workshop = try Workshop(resource)
        let run = try await shell(#""$0" -o - "$1" >&-"#, workshop)
        expectFailure(.usage, run)
        #expect(run.errors.contains("standard output is closed"), "\(run.errors)")
    }

    // MARK: - The file

    @Test(arguments: ["1", "4"])
    func `a pipe gets the bytes of the file`(connections: String) async throws {
        let workshop = try Workshop(resource)
        let run = try await shell(#""$0" -x \#(connections) -o - "$1" | cat > copy"#, workshop)
        try expectOnly("copy", resource, in: workshop, run)
        #expect(run.errors.contains("standard output"))
    }

    @Test func `a file gets the bytes after those of other programs`() async throws {
        let workshop = try Workshop(resource)
        let run = try await shell(#"{ printf ab; "$0" -o - "$1"; printf cd; } > copy"#, workshop)
        #expect(run.status == .code(0), "\(run.errors)")
        let bytes = try workshop.folder.read("copy")
        #expect(bytes == Array("ab".utf8) + resource.bytes() + Array("cd".utf8))
    }

    @Test func `a wrong checksum fails before the last bytes are written`() async throws {
        let workshop = try Workshop(resource)
        let wrong = "sha1=" + String(repeating: "0", count: 40)
        let script = #""$0" -o - --checksum \#(wrong) "$1" > copy"#
        expectFailure(.checksumMismatch, try await shell(script, workshop))
        #expect(workshop.folder.list() == ["copy"])
        #expect(try workshop.folder.read("copy").count < resource.bytes().count)
    }

    @Test func `a reader that ends early ends the download without a message`() async throws {
        let workshop = try Workshop(Resource(size: 5_000_000))
        let script = #"{ "$0" -q -o - "$1"; echo "status $?" >&2; } | head -c 1000 | wc -c"#
        let run = try await shell(script, workshop)
        #expect(run.output.contains("1000"))
        #expect(run.errors == "status \(ErrorCode.interrupted.exitStatus)\n")
        #expect(workshop.folder.list().isEmpty)
    }

    @Test func `a full disk is an error`() async throws {
        let workshop = try Workshop(resource)
        let run = try await shell(#""$0" -q -o - "$1" > /dev/full"#, workshop)
        #expect(run.status == .code(ErrorCode.diskFull.exitStatus), "\(run.errors)")
        #expect(run.errors.contains("writing to standard output failed"))
    }

    @Test func `the temporary folder is TMPDIR, and stays empty`() async throws {
        let workshop = try Workshop(resource)
        let script = #"mkdir tmp; TMPDIR="$PWD/tmp" "$0" -o - "$1" > copy; ls tmp"#
        let run = try await shell(script, workshop)
        #expect(run.status == .code(0) && run.output.isEmpty, "\(run.errors)")
        try expectExact("copy", resource, in: workshop)
    }

    @Test(arguments: [
        ["--directory", "files"], ["--background"], ["--progress", "json"], ["--adopt"],
    ])
    func `options that need a file are refused`(options: [String]) async throws {
        let workshop = try Workshop(resource)
        let run = try await workshop.run([workshop.url, "--output", "-"] + options)
        expectFailure(.usage, run)
        #expect(workshop.origin.requests.isEmpty)
    }

    @Test func `a list cannot name standard output`() async throws {
        let workshop = try Workshop(resource)
        _ = try workshop.folder.write("list.txt", "\(workshop.url)\n  output=-\n")
        let run = try await workshop.run("-i", "list.txt")
        expectFailure(.usage, run)
        #expect(run.errors.contains("./-"))
    }
}
