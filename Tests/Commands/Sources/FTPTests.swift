import Glibc
import PawlCore
import PawlTesting
import Testing

/// FTP and FTPS, from vsftpd.
@Suite(.timeLimit(.minutes(5)))
struct FTPTests {
    private let resource = Resource(size: 3_000_000)

    private func url(
        _ server: ServerProgram,
        _ scheme: String = "ftp",
        _ name: String = "disk.iso"
    ) -> String {
        "\(scheme)://127.0.0.1:\(server.port)/\(name)"
    }

    private func serve(_ resource: Resource, by server: ServerProgram) throws {
        try server.folder.write("\(FileServers.files)/disk.iso", resource.bytes())
    }

    @Test(arguments: ["1", "4"])
    func `a file over one and several connections`(connections: String) async throws {
        let server = try await FileServers.ftp("anon_max_rate=3000000")
        try serve(resource, by: server)
        let workshop = try Workshop()
        let run = try await workshop.run(url(server), "-x", connections, "-v")
        try expectOnly("disk.iso", resource, in: workshop, run)
        #expect(run.errors.contains(" 206 ") == (connections != "1"), "\(run.errors)")
    }

    @Test(arguments: [0, 1, 1000])
    func `a small file`(size: Int64) async throws {
        let server = try await FileServers.ftp()
        let small = Resource(size: size)
        try serve(small, by: server)
        let workshop = try Workshop()
        let run = try await workshop.run(url(server))
        try expectOnly("disk.iso", small, in: workshop, run)
    }

    @Test func `several files of one folder`() async throws {
        let server = try await FileServers.ftp()
        for number in 1...20 {
            try server.folder.write("\(FileServers.files)/\(number)", "\(number)")
        }
        let workshop = try Workshop()
        let run = try await workshop.run("ftp://127.0.0.1:\(server.port)/{1..20}")
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(workshop.folder.list().count == 20)
        #expect(try workshop.folder.readText("17") == "17")
    }

    @Test func `an interrupted download is resumed, and starts over if the file has changed`()
        async throws
    {
        let server = try await FileServers.ftp()
        let large = Resource(size: 24_000_000)
        try serve(large, by: server)
        let workshop = try Workshop()
        let url = url(server)
        for changes in [false, true] {
            let runner = try workshop.start(
                arguments: [url, "-x", "1", "-o", "\(changes)", "--limit", Workshop.crawl]
            )
            try await workshop.wait(for: Workshop.resumable, of: "\(changes)", by: runner)
            runner.signal(SIGINT)
            await runner.waitForExit()
            let new = changes ? Resource(size: 24_000_000, seed: 7) : large
            if changes { try serve(new, by: server) }
            let run = try await workshop.run(url, "-x", "8", "-o", "\(changes)", "-v")
            #expect(run.status == .code(0), "\(run.errors)")
            try expectExact("\(changes)", new, in: workshop)
            #expect(run.errors.contains(", the last ") != changes, "\(run.errors)")
        }
    }

    @Test(arguments: [FileServers.TLS.explicit, .implicit])
    func `the connections are encrypted`(tls: FileServers.TLS) async throws {
        let server = try await FileServers.ftp(password: "hunter2", tls: tls)
        try serve(resource, by: server)
        let workshop = try Workshop()
        let scheme = tls == .explicit ? "ftpes" : "ftps"
        let untrusted = try await workshop.run(url(server, scheme), "-u", "anonymous:hunter2")
        expectFailure(.tlsFailed, untrusted)
        let run = try await workshop.run(
            url(server, scheme),
            "-u",
            "anonymous:hunter2",
            "--cacert",
            server.folder.path("cert.pem"),
            "-x",
            "4"
        )
        try expectOnly("disk.iso", resource, in: workshop, run)
        #expect(!run.everything.contains("hunter2"))
    }

    @Test func `the password is sent to a server that demands TLS only with TLS`() async throws {
        let server = try await FileServers.ftp(password: "hunter2", tls: .explicit)
        try serve(resource, by: server)
        let run = try await Workshop().run(url(server), "-u", "anonymous:hunter2")
        expectFailure(.unauthorized, run)
        let plain = try await FileServers.ftp()
        let asked = try await Workshop().run(url(plain, "ftpes"))
        expectFailure(.tlsFailed, asked)
    }

    @Test func `a wrong password is an error with the server's words`() async throws {
        let server = try await FileServers.ftp(password: "hunter2")
        try serve(resource, by: server)
        let workshop = try Workshop()
        let wrong = try await workshop.run(url(server), "-u", "anonymous:wr0ng")
        expectFailure(.unauthorized, wrong)
        #expect(wrong.errors.contains("answered 530 Login incorrect"), "\(wrong.errors)")
        #expect(!wrong.everything.contains("wr0ng"))
        let run = try await workshop.run(url(server), "-u", "anonymous:hunter2")
        try expectOnly("disk.iso", resource, in: workshop, run)
    }

    @Test func `a missing file and a folder are errors`() async throws {
        let server = try await FileServers.ftp()
        let workshop = try Workshop()
        for name in ["missing", "no/such/file"] {
            let run = try await workshop.run(url(server, "ftp", name))
            expectFailure(.notFound, run)
            #expect(run.errors.contains("answered 550 "), "\(run.errors)")
        }
        expectFailure(.usage, try await workshop.run(url(server, "ftp", "")))
        #expect(workshop.folder.list().isEmpty)
    }

    @Test func `the limit of connections of a server is respected`() async throws {
        let server = try await FileServers.ftp("max_per_ip=2", "anon_max_rate=4000000")
        let large = Resource(size: 12_000_000)
        try serve(large, by: server)
        let workshop = try Workshop()
        let run = try await workshop.run(url(server), "-x", "6")
        try expectOnly("disk.iso", large, in: workshop, run)
    }

    @Test func `the name, the size and the time of a file are shown`() async throws {
        let server = try await FileServers.ftp()
        try serve(resource, by: server)
        let workshop = try Workshop()
        let run = try await workshop.run("inspect", url(server))
        #expect(run.status == .code(0), "\(run.errors)")
        for text in ["3000000 bytes", "serves ranges    yes", "protocol         FTP"] {
            #expect(run.output.contains(text), "\(run.output)")
        }
        let kept = try await workshop.run(url(server), "-R")
        #expect(kept.status == .code(0), "\(kept.errors)")
    }

    @Test func `a method or a body cannot be sent`() async throws {
        let server = try await FileServers.ftp()
        try serve(resource, by: server)
        let run = try await Workshop().run(url(server), "--data", "x")
        expectFailure(.usage, run)
    }

    @Test func `an HTTP server cannot redirect to an FTP server`() async throws {
        let workshop = try Workshop()
        workshop.serve(.redirect(to: "ftp://127.0.0.1:1/x"))
        let run = try await workshop.run(workshop.url)
        expectFailure(.redirectRefused, run)
    }
}
