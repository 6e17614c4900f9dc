import PawlCore
import PawlTesting
import Testing

/// FTP servers that lie.
@Suite(.timeLimit(.minutes(5)))
struct HostileFTPTests {
    private let resource = Resource(size: 3_000_000)

    @Test(arguments: ["213 3000001", "213 99999999999999999999", "213 20240506070809"])
    func `a size that is too large gives no other file`(size: String) async throws {
        var script = ScriptedFTP.Script(resource.bytes())
        script.size = size
        let server = try ScriptedFTP(script)
        let workshop = try Workshop()
        let run = try await workshop.run(server.url(), "--retries", "1")
        guard case .code(let status) = run.status else { return #expect(run.status == .code(0)) }
        // A number that is too large is ignored.
        if status == 0 { return try expectExact("disk.iso", resource, in: workshop) }
        #expect(!workshop.folder.exists("disk.iso"), "\(run.errors)")
    }

    @Test func `a password in a server's reply is not printed`() async throws {
        var script = ScriptedFTP.Script(resource.bytes())
        script.login = "530 hunter2 is wrong"
        let server = try ScriptedFTP(script)
        let workshop = try Workshop()
        let run = try await workshop.run(server.url(), "-u", "me:hunter2", "-v")
        expectError(.unauthorized, run)
        #expect(run.errors.contains("530 *** is wrong"), "\(run.errors)")
        #expect(!run.everything.contains("hunter2"))
    }

    @Test func `a data port that refuses at first is tried again`() async throws {
        var script = ScriptedFTP.Script(resource.bytes())
        script.refusedPorts = 2
        let server = try ScriptedFTP(script)
        let workshop = try Workshop()
        let run = try await workshop.run(server.url())
        #expect(run.status == .code(0), "\(run.errors)")
        try expectExact("disk.iso", resource, in: workshop)
    }

    @Test(arguments: ["213 0", "500 no SIZE"])
    func `a server that does not know the size delivers the file`(size: String) async throws {
        var script = ScriptedFTP.Script(resource.bytes())
        script.size = size
        let server = try ScriptedFTP(script)
        let workshop = try Workshop()
        let run = try await workshop.run(server.url())
        #expect(run.status == .code(0), "\(run.errors)")
        try expectExact("disk.iso", resource, in: workshop)
    }

    @Test(arguments: ["213 -9223372036854775807", "213 5", "500 no SIZE"])
    func `a later size that is wrong does no harm`(size: String) async throws {
        var script = ScriptedFTP.Script(resource.bytes())
        script.cutAfter = 1_000_000
        let server = try ScriptedFTP(script) { script, number in
            if number > 1 { (script.size, script.cutAfter) = (size, nil) }
        }
        let workshop = try Workshop()
        let run = try await workshop.run(server.url(), "-x", "1", "--retries", "2")
        guard case .code(let status) = run.status else { return #expect(run.status == .code(0)) }
        // The server reports a file of 5 bytes then.
        guard status == 0, workshop.folder.size("disk.iso") != 5 else { return }
        try expectExact("disk.iso", resource, in: workshop)
    }

    @Test func `another version of the same size and time is not mixed in`() async throws {
        let new = Resource(size: 3_000_000, seed: 7)
        var script = ScriptedFTP.Script(resource.bytes())
        script.cutAfter = 1_500_000
        let changed = new.bytes()
        let server = try ScriptedFTP(script) { script, number in
            if number > 1 { (script.body, script.cutAfter) = (changed, nil) }
        }
        let workshop = try Workshop()
        let run = try await workshop.run(server.url(), "-x", "1")
        #expect(run.status == .code(0), "\(run.errors)")
        try expectExact("disk.iso", new, in: workshop)
    }

    @Test func `a server that ignores the start offset is detected`() async throws {
        var script = ScriptedFTP.Script(resource.bytes())
        script.restarts = false
        script.cutAfter = 1_000_000
        let server = try ScriptedFTP(script) { script, number in
            if number > 1 { script.cutAfter = nil }
        }
        let workshop = try Workshop()
        let run = try await workshop.run(server.url(), "-x", "1", "--retries", "2")
        if run.status == .code(0) {
            try expectExact("disk.iso", resource, in: workshop)
        } else {
            #expect(!workshop.folder.exists("disk.iso"))
        }
    }

    @Test func `a type in the URL does not change the bytes`() async throws {
        let server = try ScriptedFTP(ScriptedFTP.Script(resource.bytes()))
        let workshop = try Workshop()
        let run = try await workshop.run(server.url("disk.iso;type=A"), "-o", "disk.iso")
        #expect(run.status == .code(0), "\(run.errors)")
        try expectExact("disk.iso", resource, in: workshop)
    }
}
