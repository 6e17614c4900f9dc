import Glibc
import PawlCore
import PawlTesting
import Testing

/// SFTP, from OpenSSH.
@Suite(.timeLimit(.minutes(5)))
struct SFTPTests {
    private let resource = Resource(size: 3_000_000)
    private let name = "disk.iso"

    /// A workshop whose folder is the user's home, too.
    private func home() throws -> (Workshop, ProcessSettings) {
        let workshop = try Workshop()
        try workshop.folder.makeFolder("home")
        let home = workshop.folder.path("home")
        let agent: [String: String?] = [
            "SSH_AUTH_SOCK": nil, "HOME": home, "USER": FileServers.user,
        ]
        return (workshop, ProcessSettings(environment: agent))
    }

    private func url(_ server: ServerProgram, _ name: String = "disk.iso") -> String {
        "sftp://127.0.0.1:\(server.port)\(server.folder.path(FileServers.files))/\(name)"
    }

    private func serve(_ resource: Resource, by server: ServerProgram) throws {
        try server.folder.write("\(FileServers.files)/disk.iso", resource.bytes())
    }

    /// A file that contains the host's key.
    private func knownHosts(_ server: ServerProgram, key: String = "host") throws -> String {
        let words = try server.folder.readText("\(key).pub").split(separator: " ")
        let line = "[127.0.0.1]:\(server.port) \(words[0]) \(words[1])\n"
        return try server.folder.write("known-\(key)", "# mine\n" + line)
    }

    private func fingerprint(_ server: ServerProgram) async throws -> String {
        let path = server.folder.path("host.pub")
        let run = try await ProcessRunner.run("ssh-keygen", ["-l", "-f", path])
        return run.output.split(separator: " ").dropFirst().first.map(String.init) ?? ""
    }

    @Test(arguments: ["1", "4"])
    func `a file over one and several connections`(connections: String) async throws {
        let server = try await FileServers.ssh()
        try serve(resource, by: server)
        let (workshop, settings) = try home()
        let run = try await workshop.run(
            [url(server), "-x", connections, "--key", server.folder.path("user")]
                + ["--known-hosts", knownHosts(server)],
            settings
        )
        #expect(run.status == .code(0), "\(run.errors)")
        try expectExact(name, resource, in: workshop)
    }

    @Test func `an empty file, and one with a modification time`() async throws {
        let server = try await FileServers.ssh()
        try serve(Resource(size: 0), by: server)
        let (workshop, settings) = try home()
        let run = try await workshop.run(
            [url(server), "-R", "--key", server.folder.path("user")]
                + ["--known-hosts", knownHosts(server)],
            settings
        )
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(workshop.folder.size(name) == 0)
        let (kept, original) = (
            workshop.folder.path(name), server.folder.path(FileServers.files + "/disk.iso")
        )
        #expect(modificationTime(kept) == modificationTime(original))
    }

    private func modificationTime(_ path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mtim.tv_sec : -1
    }

    @Test func `the keys in the home folder are used`() async throws {
        let server = try await FileServers.ssh()
        try serve(resource, by: server)
        let (workshop, settings) = try home()
        try workshop.folder.makeFolder("home/.ssh")
        let key = try server.folder.readText("user")
        try workshop.folder.write("home/.ssh/id_ed25519", key)
        try workshop.folder.setPermissions("home/.ssh/id_ed25519", 0o600)
        let hosts = try server.folder.readText(
            String(try knownHosts(server).split(separator: "/").last ?? "")
        )
        try workshop.folder.write("home/.ssh/known_hosts", hosts)
        let run = try await workshop.run(url(server), settings: settings)
        #expect(run.status == .code(0), "\(run.errors)")
        try expectExact(name, resource, in: workshop)
    }

    @Test func `an unknown host key is refused, and accepted by its fingerprint`() async throws {
        let server = try await FileServers.ssh()
        try serve(resource, by: server)
        let (workshop, settings) = try home()
        let arguments = [url(server), "--key", server.folder.path("user")]
        let refused = try await workshop.run(arguments, settings)
        expectFailure(.tlsFailed, refused)
        let fingerprint = try await fingerprint(server)
        #expect(refused.errors.contains("(ssh-ed25519 \(fingerprint))"), "\(refused.errors)")
        #expect(!workshop.folder.exists("home/.ssh"))
        let other = "SHA256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU"
        let wrong = try await workshop.run(arguments + ["--host-key", other], settings)
        expectFailure(.tlsFailed, wrong)
        let run = try await workshop.run(arguments + ["--host-key", fingerprint], settings)
        #expect(run.status == .code(0), "\(run.errors)")
        let again = try await workshop.run(arguments + ["-o", "again"], settings)
        #expect(again.status == .code(0), "\(again.errors)")
        let known = try workshop.folder.readText("home/.ssh/known_hosts")
        #expect(known.split(separator: "\n").count == 1)
    }

    @Test func `a new file of known hosts is written`() async throws {
        let server = try await FileServers.ssh()
        try serve(resource, by: server)
        let (workshop, settings) = try home()
        let arguments = [url(server), "--key", server.folder.path("user"), "--known-hosts", "new"]
        let refused = try await workshop.run(arguments, settings)
        expectFailure(.tlsFailed, refused)
        let fingerprint = try await fingerprint(server)
        let run = try await workshop.run(arguments + ["--host-key", fingerprint], settings)
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(try workshop.folder.readText("new").contains("ssh-ed25519"))
    }

    @Test(arguments: [["LOGNAME": FileServers.user], [:]])
    func `without USER, the user name is that of the login or of the process`(
        names: [String: String]
    ) async throws {
        let server = try await FileServers.ssh()
        try serve(resource, by: server)
        var (workshop, settings) = try home()
        settings.environment["USER"] = .some(nil)
        settings.environment["LOGNAME"] = .some(names["LOGNAME"])
        let run = try await workshop.run(
            [url(server), "--key", server.folder.path("user")]
                + ["--known-hosts", knownHosts(server)],
            settings
        )
        #expect(run.status == .code(0), "\(run.errors)")
    }

    @Test func `an encrypted key without its password is named`() async throws {
        let server = try await FileServers.ssh()
        try serve(resource, by: server)
        let (workshop, settings) = try home()
        let key = workshop.folder.path("locked")
        _ = try await ProcessRunner.run(
            "ssh-keygen",
            ["-q", "-t", "ed25519", "-N", "pass-of-key", "-f", key]
        )
        let run = try await workshop.run(
            [url(server), "--key", key, "--known-hosts", knownHosts(server)],
            settings
        )
        expectFailure(.usage, run)
        #expect(run.errors.contains("the key is encrypted"), "\(run.errors)")
        #expect(run.errors.contains("--key-password"), "\(run.errors)")
    }

    @Test func `on a terminal, the password of an encrypted key is asked for`() async throws {
        let server = try await FileServers.ssh()
        try serve(resource, by: server)
        var (workshop, settings) = try home()
        let key = workshop.folder.path("locked")
        try workshop.folder.write("locked", server.folder.readText("user"))
        try #require(chmod(key, 0o600) == 0)
        _ = try await ProcessRunner.run(
            "ssh-keygen",
            ["-q", "-p", "-P", "", "-N", "pass-of-key", "-f", key]
        )
        settings.terminal = TerminalSize()
        let runner = try workshop.start(
            arguments: [url(server), "--key", key, "--known-hosts", knownHosts(server)],
            settings
        )
        #expect(await runner.waitForOutput(containing: "Password for the key"))
        runner.type("pass-of-key\n")
        #expect(await runner.waitForExit() == .code(0), "\(runner.output)")
        #expect(!runner.output.contains("pass-of-key"))
        try expectExact(name, resource, in: workshop)
    }

    /// Makes the user's key one that is encrypted, under the name that ssh gives it.
    private func lockUsualKey(of server: ServerProgram, in workshop: Workshop) async throws {
        try workshop.folder.makeFolder("home/.ssh")
        let key = try workshop.folder.write(
            "home/.ssh/id_ed25519",
            server.folder.readText("user")
        )
        try #require(chmod(key, 0o600) == 0)
        _ = try await ProcessRunner.run(
            "ssh-keygen",
            ["-q", "-p", "-P", "", "-N", "pass-of-key", "-f", key]
        )
    }

    /// Runs a command on a terminal, on which the password of the key and other answers are typed.
    private func answer(
        _ arguments: [String],
        _ server: ServerProgram,
        _ workshop: Workshop,
        _ settings: ProcessSettings,
        acceptsKey: Bool = false
    ) async throws {
        var settings = settings
        settings.terminal = TerminalSize()
        let runner = try workshop.start(arguments: arguments, settings)
        if acceptsKey {
            #expect(await runner.waitForOutput(containing: "[yes/no] "))
            runner.type("yes\n")
        }
        #expect(await runner.waitForOutput(containing: "Password for the key"))
        runner.type("pass-of-key\n")
        #expect(await runner.waitForExit() == .code(0), "\(runner.output)")
        #expect(!runner.output.contains("pass-of-key"))
    }

    @Test(arguments: [false, true])
    func `on a terminal, the password of the usual key is asked for`(isNewHost: Bool)
        async throws
    {
        let server = try await FileServers.ssh()
        try serve(resource, by: server)
        let (workshop, settings) = try home()
        try await lockUsualKey(of: server, in: workshop)
        let known = isNewHost ? [] : ["--known-hosts", try knownHosts(server)]
        try await answer([url(server)] + known, server, workshop, settings, acceptsKey: isNewHost)
        try expectExact(name, resource, in: workshop)
    }

    @Test func `a mirror asks for the password of the key`() async throws {
        let server = try await FileServers.ssh()
        try serve(resource, by: server)
        let (workshop, settings) = try home()
        try await lockUsualKey(of: server, in: workshop)
        let known = ["--known-hosts", try knownHosts(server)]
        try await answer(["mirror", url(server, ""), "usual"] + known, server, workshop, settings)
        #expect(try workshop.folder.read("usual/disk.iso") == resource.bytes())
        let key = ["--key", workshop.folder.path("home/.ssh/id_ed25519")]
        let given = ["mirror", url(server, ""), "given"] + known + key
        try await answer(given, server, workshop, settings)
        #expect(try workshop.folder.read("given/disk.iso") == resource.bytes())
    }

    @Test(arguments: [false, true])
    func `a repair asks for the password of the key`(isGiven: Bool) async throws {
        let server = try await FileServers.ssh()
        try serve(resource, by: server)
        let (workshop, settings) = try home()
        try await lockUsualKey(of: server, in: workshop)
        var damaged = resource.bytes()
        damaged[1_000_000] ^= 1
        try workshop.folder.write(name, damaged)
        let digest = try #require(resource.digest(.sha256)).description
        let key = workshop.folder.path("home/.ssh/id_ed25519")
        let arguments = ["verify", name, "--checksum", digest, "--repair", "--url", url(server)]
        try await answer(
            arguments + ["--known-hosts", knownHosts(server)] + (isGiven ? ["--key", key] : []),
            server,
            workshop,
            settings
        )
        try expectExact(name, resource, in: workshop)
    }

    @Test(arguments: [("yes\n", true), ("no\n", false), ("\u{3}", false)])
    func `on a terminal, the user decides about an unknown host key`(typed: String, accepts: Bool)
        async throws
    {
        let server = try await FileServers.ssh()
        try serve(resource, by: server)
        var (workshop, settings) = try home()
        settings.terminal = TerminalSize()
        let arguments = [url(server), "--key", server.folder.path("user")]
        let runner = try workshop.start(arguments: arguments, settings)
        #expect(await runner.waitForOutput(containing: try await fingerprint(server)))
        #expect(await runner.waitForOutput(containing: "[yes/no] "))
        runner.type(typed)
        let status = await runner.waitForExit()
        #expect((status == .code(0)) == accepts, "\(runner.output)")
        #expect(workshop.folder.exists(name) == accepts)
        #expect(workshop.folder.exists("home/.ssh/known_hosts") == accepts)
    }

    @Test func `a changed host key is refused, even with its fingerprint`() async throws {
        let server = try await FileServers.ssh()
        try serve(resource, by: server)
        let (workshop, settings) = try home()
        let hosts = try knownHosts(server, key: "other")
        let run = try await workshop.run(
            [url(server), "--key", server.folder.path("user"), "--known-hosts", hosts]
                + ["--host-key", fingerprint(server)],
            settings
        )
        expectFailure(.tlsFailed, run)
        #expect(run.errors.contains("has changed"), "\(run.errors)")
        #expect(run.errors.contains("ssh-keygen -R"))
    }

    @Test func `a wrong key, a missing file and a folder are errors`() async throws {
        let server = try await FileServers.ssh()
        try serve(resource, by: server)
        let (workshop, settings) = try home()
        let hosts = try knownHosts(server)
        let wrong = try await workshop.run(
            [url(server), "--key", server.folder.path("other"), "--known-hosts", hosts],
            settings
        )
        expectFailure(.unauthorized, wrong)
        let arguments = ["--key", server.folder.path("user"), "--known-hosts", hosts]
        let missing = try await workshop.run([url(server, "missing")] + arguments, settings)
        expectFailure(.notFound, missing)
        #expect(missing.errors.contains("no such file"), "\(missing.errors)")
        try server.folder.makeFolder(FileServers.files + "/folder")
        let folder = try await workshop.run([url(server, "folder")] + arguments, settings)
        expectFailure(.network, folder)
        #expect(folder.errors.contains("check that the URL names a file"), "\(folder.errors)")
        #expect(workshop.folder.list() == ["home"])
    }

    /// Also by a server that accepts no password at all.
    @Test(arguments: ["yes", "no"])
    func `a wrong password is an error, and loses nothing`(isAllowed: String) async throws {
        let server = try await FileServers.ssh("PasswordAuthentication \(isAllowed)")
        let large = Resource(size: 24_000_000)
        try serve(large, by: server)
        let (workshop, settings) = try home()
        let arguments = [url(server), "--known-hosts", try knownHosts(server), "-v"]
        let key = ["--key", server.folder.path("user")]
        let runner = try workshop.start(
            arguments: arguments + key + ["--limit", Workshop.crawl, "-x", "1"],
            settings
        )
        try await workshop.wait(for: Workshop.resumable, of: name, by: runner)
        runner.signal(SIGINT)
        await runner.waitForExit()
        let kept = workshop.folder.list()
        let login = ["-u", "\(FileServers.user):wr0ng"]
        let refused = try await workshop.run(arguments + login, settings)
        #expect(refused.status == .code(ErrorCode.unauthorized.exitStatus), "\(refused.errors)")
        #expect(!refused.everything.contains("wr0ng"), "\(refused.everything)")
        #expect(workshop.folder.list() == kept)
        let run = try await workshop.run(arguments + key, settings)
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(run.errors.contains(", the last "), "\(run.errors)")
        try expectExact(name, large, in: workshop)
    }

    @Test func `a resumed download starts over if the file has changed`() async throws {
        let server = try await FileServers.ssh()
        let large = Resource(size: 24_000_000)
        try serve(large, by: server)
        let (workshop, settings) = try home()
        let arguments =
            [url(server), "--key", server.folder.path("user")]
            + ["--known-hosts", try knownHosts(server)]
        let runner = try workshop.start(
            arguments: arguments + ["--limit", Workshop.crawl, "-x", "1"],
            settings
        )
        try await workshop.wait(of: name, by: runner)
        runner.signal(SIGINT)
        await runner.waitForExit()
        let new = Resource(size: 24_000_000, seed: 7)
        try serve(new, by: server)
        let run = try await workshop.run(arguments + ["-x", "4"], settings)
        #expect(run.status == .code(0), "\(run.errors)")
        try expectExact(name, new, in: workshop)
    }
}
