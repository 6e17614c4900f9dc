import Glibc
import PawlCore
import PawlTesting
import Testing

/// `pawl mirror` of other sources than indexes over HTTP.
@Suite(.timeLimit(.minutes(5)))
struct MirrorSourceTests {
    private func files(_ workshop: Workshop) -> [String] {
        FolderTree.entries(below: workshop.folder.path("out")).filter {
            !$0.hasSuffix("/") && $0 != ".pawl-mirror"
        }
    }

    /// Puts a tree into the folder of a server, with times that are long past.
    private func fill(_ server: ServerProgram) throws {
        for folder in ["sub", "sub/deep"] {
            try server.folder.makeFolder("\(FileServers.files)/\(folder)")
        }
        for name in ["a.txt", "sub/b c.txt", "sub/deep/\u{FC}.txt"] {
            let path = "\(FileServers.files)/\(name)"
            try server.folder.write(path, name)
            var times = [
                timeval(tv_sec: 1_700_000_000, tv_usec: 0),
                timeval(tv_sec: 1_700_000_000, tv_usec: 0),
            ]
            #expect(utimes(server.folder.path(path), &times) == 0)
        }
        symlink("a.txt", server.folder.path("\(FileServers.files)/link"))
    }

    private func expectTree(
        _ workshop: Workshop,
        _ server: ServerProgram,
        _ arguments: [String],
        _ settings: ProcessSettings = ProcessSettings()
    ) async throws {
        let first = try await workshop.run(["mirror"] + arguments, settings)
        #expect(first.status == .code(0), "\(first.errors)")
        #expect(files(workshop) == ["a.txt", "sub/b c.txt", "sub/deep/\u{FC}.txt"])
        #expect(try workshop.folder.readText("out/sub/b c.txt") == "sub/b c.txt")
        #expect(first.errors.contains("3 files: 3 new"), "\(first.errors)")
        #expect(first.errors.contains("1 entry is left out"), "\(first.errors)")
        // The facts in the list are enough: the files are not even readable.
        let hidden = server.folder.path("\(FileServers.files)/a.txt")
        try server.folder.write("\(FileServers.files)/sub/b c.txt", "changed")
        let second = try await workshop.run(["mirror"] + arguments, settings)
        #expect(second.errors.contains("3 files: 1 changed, 2 unchanged"), "\(second.errors)")
        #expect(try workshop.folder.readText("out/sub/b c.txt") == "changed")
        unlink(hidden)
        let third = try await workshop.run(
            ["mirror"] + arguments + ["--delete", "--yes"],
            settings
        )
        #expect(third.errors.contains("1 file deleted"), "\(third.errors)")
        #expect(files(workshop) == ["sub/b c.txt", "sub/deep/\u{FC}.txt"])
        // A name that is a symbolic link now is still on the server.
        let replaced = server.folder.path("\(FileServers.files)/sub/b c.txt")
        unlink(replaced)
        symlink("deep", replaced)
        let fourth = try await workshop.run(
            ["mirror"] + arguments + ["--delete", "--yes"],
            settings
        )
        #expect(fourth.status == .code(0), "\(fourth.errors)")
        #expect(files(workshop) == ["sub/b c.txt", "sub/deep/\u{FC}.txt"])
    }

    @Test func `a folder over FTP`() async throws {
        let server = try await FileServers.ftp()
        try fill(server)
        try await expectTree(try Workshop(), server, ["ftp://127.0.0.1:\(server.port)", "out"])
    }

    @Test func `a folder over SFTP`() async throws {
        let server = try await FileServers.ssh()
        try fill(server)
        let words = try server.folder.readText("host.pub").split(separator: " ")
        let known = try server.folder.write(
            "known",
            "[127.0.0.1]:\(server.port) \(words[0]) \(words[1])\n"
        )
        let folder = "sftp://127.0.0.1:\(server.port)\(server.folder.path(FileServers.files))"
        let settings = ProcessSettings(environment: [
            "SSH_AUTH_SOCK": nil, "USER": FileServers.user,
        ])
        try await expectTree(
            try Workshop(),
            server,
            [folder, "out", "--key", server.folder.path("user"), "--known-hosts", known],
            settings
        )
    }

    @Test func `a folder over FTP that does not exist`() async throws {
        let server = try await FileServers.ftp()
        let workshop = try Workshop()
        let run = try await workshop.run("mirror", "ftp://127.0.0.1:\(server.port)/none/", "out")
        expectError(.notFound, run)
    }

    @Test(.enabled(if: MotoServer.isInstalled))
    func `a folder of a bucket`() async throws {
        let server = try await MotoServer()
        for key in ["trip/a.txt", "trip/b/c%20d.txt", "other.txt"] {
            try await server.store(Array(key.utf8), as: key)
        }
        let workshop = try Workshop()
        let settings = ProcessSettings.aws(at: server.endpoint, "id", "secret")
        let mirror = ["mirror", "s3://\(MotoServer.bucket)/trip", "out"]
        let first = try await workshop.run(mirror, settings)
        #expect(first.status == .code(0), "\(first.errors)")
        #expect(files(workshop) == ["a.txt", "b/c d.txt"])
        let second = try await workshop.run(mirror + ["-v"], settings)
        #expect(second.errors.contains("2 files: 2 unchanged"), "\(second.errors)")
        #expect(!second.errors.contains("HEAD "), "\(second.errors)")
        try await server.store(Array("new".utf8), as: "trip/a.txt")
        let third = try await workshop.run(mirror, settings)
        #expect(third.errors.contains("2 files: 1 changed, 1 unchanged"), "\(third.errors)")
        #expect(try workshop.folder.readText("out/a.txt") == "new")
    }

    @Test func `a list of URLs`() async throws {
        let workshop = try Workshop()
        let sources = try ScratchFolder()
        for name in ["a", "b", "c"] {
            workshop.serve(.resource(Resource(text: name)), at: "/\(name)/file.txt")
        }
        func url(_ name: String) -> String { workshop.origin.url("/\(name)/file.txt") }
        let list = try sources.write(
            "list.txt",
            "\(url("a"))\n\(url("b"))\n\(url("c"))\n  output=sub/c.txt\n"
        )
        let mirror = ["mirror", "-i", list, "out"]
        let first = try await workshop.run(mirror, ProcessSettings())
        #expect(first.status == .code(0), "\(first.errors)")
        #expect(files(workshop) == ["file.1.txt", "file.txt", "sub/c.txt"])
        #expect(try workshop.folder.readText("out/sub/c.txt") == "c")
        let second = try await workshop.run(mirror, ProcessSettings())
        #expect(second.errors.contains("3 files: 3 unchanged"), "\(second.errors)")
        try sources.write("list.txt", "\(url("a"))\n")
        let third = try await workshop.run(mirror + ["--delete", "--yes"], ProcessSettings())
        #expect(third.errors.contains("2 files deleted"), "\(third.errors)")
        #expect(files(workshop) == ["file.txt"])
        try sources.write("list.txt", "\(url("a"))\n  output=../x\n")
        expectError(.usage, try await workshop.run(mirror, ProcessSettings()))
    }

    @Test func `a Metalink whose digests are known costs no request`() async throws {
        let workshop = try Workshop()
        let sources = try ScratchFolder()
        let resource = Resource(size: 100_000)
        workshop.serve(.resource(resource), at: "/x")
        let digest = try #require(resource.digest(.sha256)).hexadecimal
        let list = try sources.write(
            "list.meta4",
            """
            <metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="sub/x.bin">
            <hash type="sha-256">\(digest)</hash><url>\(workshop.origin.url("/x"))</url>
            </file></metalink>
            """
        )
        let first = try await workshop.run("mirror", list, "out")
        #expect(first.status == .code(0), "\(first.errors)")
        #expect(try workshop.folder.read("out/sub/x.bin") == resource.bytes())
        let count = workshop.origin.requests.count
        let second = try await workshop.run("mirror", list, "out")
        #expect(second.errors.contains("1 file: 1 unchanged"), "\(second.errors)")
        #expect(workshop.origin.requests.count == count)
    }
}
