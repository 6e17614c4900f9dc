import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// The user's keys for SSH, and programs that ask the daemon over TCP.
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct DaemonSSHTests {
        private let resource = Resource(size: 300_000)

        @Test func `a download that is added over TCP signs in with no key of the user`()
            async throws
        {
            let server = try await FileServers.ssh()
            try server.folder.write("\(FileServers.files)/disk.iso", resource.bytes())
            let network = try await NetworkScene.make()
            let home = network.scene.home
            try home.makeFolder(".ssh")
            try home.write(".ssh/id_ed25519", server.folder.readText("user"))
            try home.setPermissions(".ssh/id_ed25519", 0o600)
            let key = try server.folder.readText("host.pub").split(separator: " ").prefix(2)
            try home.write(
                ".ssh/known_hosts",
                "[127.0.0.1]:\(server.port) \(key.joined(separator: " "))\n"
            )
            try await network.scene.succeed("daemon", "allow", "--private-addresses", "yes")
            let path = server.folder.path("\(FileServers.files)/disk.iso")
            let url = "sftp://\(FileServers.user)@127.0.0.1:\(server.port)\(path)"
            let answer = try await network.ask(
                "POST",
                "/v1/downloads",
                #"{"downloads":[{"url":"\#(url)","destination":""}]}"#
            )
            #expect(answer.status == 201, "\(answer.body)")
            let waited = try await network.scene.run("wait", "--all")
            #expect(waited.status == .code(ErrorCode.unauthorized.exitStatus), "\(waited.errors)")
            #expect(!home.exists("Downloads/disk.iso"))
            try await network.scene.succeed("remove", "--all")
            // The user's own download does.
            let folder = try home.makeFolder("own")
            try await network.scene.succeed("add", url, "-d", folder)
            try await network.scene.succeed("wait", "--all")
            #expect(try home.read("own/disk.iso") == resource.bytes())
        }
    }
}
