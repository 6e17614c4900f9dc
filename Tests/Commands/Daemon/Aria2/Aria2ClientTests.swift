import Glibc
import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// Libraries that were written for aria2, as `scripts/setup --tests` installs them.
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct Aria2ClientTests {
        private static let python = BuiltProduct.folder + "/../../aria2/bin/python"
        private static var isInstalled: Bool { access(python, X_OK) == 0 }

        private func run(
            _ program: String,
            _ arguments: [String],
            authority: String? = nil
        ) async throws {
            let run = try await ProcessRunner.run(
                Self.python,
                [try ClientProgram.path(program)] + arguments,
                ProcessSettings(environment: ["NO_PROXY": "*", "SSL_CERT_FILE": authority])
            )
            #expect(run.status == .code(0), "\(run.output)\(run.errors)")
            #expect(run.output.contains("have worked"), "\(run.output)")
        }

        private func scene() async throws -> Aria2Scene {
            let scene = try await Aria2Scene.make()
            try await scene.allowPrivateAddresses()
            scene.scene.workshop.serve(.resource(Resource(size: 3_000_000)))
            return scene
        }

        @Test(.enabled(if: isInstalled))
        func `aria2p adds, lists, controls and removes downloads, and listens`() async throws {
            let scene = try await scene()
            try await run(
                "aria2p_client.py",
                [
                    "http://127.0.0.1", String(scene.port), scene.aria2.secret,
                    scene.scene.workshop.url,
                ]
            )
        }

        @Test(.enabled(if: isInstalled))
        func `aioaria2 uses HTTP and a WebSocket`() async throws {
            let scene = try await scene()
            try await run(
                "aioaria2_client.py",
                [
                    "\(scene.aria2.origin)/jsonrpc", scene.aria2.secret,
                    scene.scene.workshop.url,
                ]
            )
        }

        @Test(.enabled(if: isInstalled), arguments: ProxyRecipe.Program.allCases)
        func `aioaria2 uses the daemon behind each proxy`(program: ProxyRecipe.Program)
            async throws
        {
            let scene = try await scene()
            let port: Int = try #require(Int(scene.port))
            // The proxy's port for the page leads nowhere.
            let proxy = try await ProxyRecipe(
                program,
                toPort: Int(try UnusedPort.find()),
                aria2: port
            )
            try await scene.scene.succeed(
                "daemon",
                "start",
                "--base-url",
                proxy.base,
                "--trusted-proxy",
                "127.0.0.1"
            )
            try await run(
                "aioaria2_client.py",
                ["\(proxy.base)jsonrpc", scene.aria2.secret, scene.scene.workshop.url],
                authority: proxy.authority
            )
        }

        @Test func `behind a proxy, only the host and the path of the base URL are answered`()
            async throws
        {
            let scene = try await Aria2Scene.make("--base-url", "https://host.example/downloads/")
            let aria2 = scene.aria2
            let body = String(
                decoding: try WireJSON.encode(aria2.object("getVersion")),
                as: UTF8.self
            )
            func ask(_ path: String, _ fields: String...) async throws -> Int {
                try await aria2.ask("POST", path, body, fields: fields).status
            }
            for path in ["/jsonrpc", "/downloads/jsonrpc"] {
                #expect(try await ask(path, "Host: host.example") == 200)
                #expect(try await ask(path) == 200)
            }
            #expect(try await ask("/jsonrpc", "Host: evil.example") == 421)
            #expect(try await ask("/other/jsonrpc", "Host: host.example") == 404)
            // Without a trusted proxy, the forwarded host is not read.
            let forwarded = "X-Forwarded-Host: evil.example"
            #expect(try await ask("/jsonrpc", forwarded) == 200)
            try await scene.scene.succeed("daemon", "start", "--trusted-proxy", "127.0.0.1")
            #expect(try await ask("/jsonrpc", forwarded) == 421)
            // The new rules apply at once.
            try await scene.scene.succeed("daemon", "start", "--base-url", "off")
            #expect(try await ask("/jsonrpc", "Host: host.example") == 421)
        }
    }
}
