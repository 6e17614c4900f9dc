import Glibc
import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// aria2's RPC over TLS.
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct Aria2TLSTests {
        /// A daemon that answers clients of aria2 with the certificate in these files.
        private func make(
            at address: String = "127.0.0.1:0"
        ) async throws -> (aria2: Aria2Scene, files: CertificateFiles) {
            let files = try CertificateFiles()
            try files.write(.localhost)
            let scene = try DaemonScene(Workshop())
            let daemon = try scene.start(
                [
                    "daemon", "run", "--aria2-rpc", address, "--tls-cert", files.certificate,
                    "--tls-key", files.key,
                ],
                [:]
            )
            #expect(await daemon.waitForOutput(containing: "listens at"), "\(daemon.errors)")
            return (try await Aria2Scene.attach(to: daemon, of: scene), files)
        }

        /// Calls a method; `options` are those of curl.
        private func call(
            _ aria2: Aria2Endpoint,
            at origin: String? = nil,
            _ options: String...
        ) async throws -> FinishedProcess {
            let body = String(
                decoding: try WireJSON.encode(aria2.object("getVersion")),
                as: UTF8.self
            )
            return try await ProcessRunner.run(
                "curl",
                ["-sg", "--noproxy", "*", "--max-time", "60", "--data-binary", body]
                    + options + ["\(origin ?? aria2.origin)/jsonrpc"]
            )
        }

        /// Opens a WebSocket over TLS and sends a frame; the output of the program is the response.
        ///
        /// `machine`: another machine from which the program connects.
        private func openWebSocket(
            _ scene: Aria2Scene,
            _ files: CertificateFiles,
            from machine: NetworkNamespace? = nil,
            sending frame: [UInt8]
        ) throws -> ProcessRunner {
            let program = """
                import socket, ssl, sys
                host, port, authority, frame = sys.argv[1:]
                context = ssl.create_default_context(cafile=authority)
                context.check_hostname = False
                context.verify_flags &= ~ssl.VERIFY_X509_STRICT
                connection = context.wrap_socket(socket.create_connection((host, int(port))))
                connection.sendall((
                    "GET /jsonrpc HTTP/1.1\\r\\nHost: " + host + ":" + port + "\\r\\n"
                    "Upgrade: websocket\\r\\nConnection: Upgrade\\r\\n"
                    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\\r\\n"
                    "Sec-WebSocket-Version: 13\\r\\n\\r\\n").encode())
                connection.sendall(bytes.fromhex(frame))
                while piece := connection.recv(65536):
                    sys.stdout.buffer.write(piece)
                    sys.stdout.flush()
                """
            let text = frame.map { String(UInt32($0) + 0x100, radix: 16).dropFirst() }.joined()
            let host = machine?.outsideAddress ?? "127.0.0.1"
            let words = ["-c", program, host, String(scene.port), files.authority, text]
            guard let machine else { return try ProcessRunner("python3", words) }
            return try ProcessRunner("nsenter", machine.entering(["python3"] + words))
        }

        @Test func `clients of aria2 use HTTPS and a WebSocket over TLS`() async throws {
            let (scene, files) = try await make()
            #expect(scene.aria2.origin.hasPrefix("https://127.0.0.1:"))
            let trusting = try await call(scene.aria2, "--cacert", files.authority)
            #expect(trusting.output.contains("1.37.0"), "\(trusting.errors)")
            let distrusting = try await call(scene.aria2)
            #expect(distrusting.status == .code(60))
            let client = try openWebSocket(scene, files, sending: try scene.frame("getVersion"))
            #expect(await client.waitForOutput(containing: "1.37.0"), "\(client.errors)")
            try await scene.scene.succeed("add", "--paused", "http://127.0.0.1:1/a")
            try await scene.scene.succeed("resume", "1")
            #expect(await client.waitForOutput(containing: "aria2.onDownload"), "\(client.output)")
            // A renewed certificate is used by both listeners without a restart.
            try files.write(.renewed)
            while try await call(scene.aria2, "--cacert", files.authority).status != .code(0) {
                try Task.checkCancellation()
            }
        }

        @Test func `programs of this machine may call without TLS`() async throws {
            let (scene, _) = try await make()
            let plain = try await call(scene.aria2, at: "http://127.0.0.1:\(scene.port)")
            #expect(plain.output.contains("1.37.0"), "\(plain.errors)")
            let client = try scene.openWebSocket(
                origin: nil,
                sending: try scene.frame("getVersion")
            )
            #expect(await client.waitForOutput(containing: "1.37.0"), "\(client.output)")
        }

        @Test func `other machines reach aria2's RPC over TLS only`() async throws {
            let (scene, files) = try await make(at: "0.0.0.0:0")
            let origin = "http://127.0.0.1:\(scene.port)"
            let plain = try await call(scene.aria2, at: origin, "-w", "%{http_code}")
            #expect(plain.output.hasSuffix("400"), "\(plain.output)")
            #expect(plain.output.contains("https://") && !plain.output.contains("1.37.0"))
            let near = try await call(scene.aria2, "--cacert", files.authority)
            #expect(near.output.contains("1.37.0"), "\(near.errors)")
            // Another address of this machine, and a foreign name.
            let far = try await call(scene.aria2, at: "https://127.0.0.2:\(scene.port)", "-k")
            #expect(far.output.contains("1.37.0"), "\(far.errors)")
            let foreign = try await call(
                scene.aria2,
                "-k",
                "-H",
                "Host: evil.example:\(scene.port)",
                "-w",
                "%{http_code}"
            )
            #expect(foreign.output.hasSuffix("421"), "\(foreign.output)")
            // Without a certificate, it must listen elsewhere.
            let off = try await scene.scene.run("daemon", "start", "--tls-cert", "off")
            #expect(off.status == .code(ErrorCode.usage.exitStatus), "\(off.errors)")
            #expect(off.errors.contains("other machines can reach"))
            try await scene.scene.succeed(
                "daemon",
                "start",
                "--tls-cert",
                "off",
                "--aria2-rpc",
                "127.0.0.1:\(scene.port)"
            )
            let after = try await call(scene.aria2, at: origin)
            #expect(after.output.contains("1.37.0"), "\(after.errors)")
        }

        @Test(.needsNetworkNamespace)
        func `a program of another machine hears of downloads after its first valid secret`()
            async throws
        {
            let (scene, files) = try await make(at: "0.0.0.0:0")
            let machine = try await NetworkNamespace()
            let silent = try openWebSocket(
                scene,
                files,
                from: machine,
                sending: Aria2Scene.frame("beat", opcode: 9)
            )
            #expect(await silent.waitForOutput(containing: "beat"), "\(silent.errors)")
            let client = try openWebSocket(
                scene,
                files,
                from: machine,
                sending: try scene.frame("getVersion")
            )
            #expect(await client.waitForOutput(containing: "1.37.0"), "\(client.errors)")
            try await scene.scene.succeed("add", "--paused", "http://127.0.0.1:1/a")
            try await scene.scene.succeed("cancel", "1")
            #expect(await client.waitForOutput(containing: "aria2.onDownloadStop"))
            #expect(!silent.output.contains("aria2.onDownload"))
        }

        @Test func `a remembered certificate that cannot be used closes only what needs it`()
            async throws
        {
            let files = try CertificateFiles()
            try files.write(.localhost)
            let scene = try DaemonScene(Workshop())
            func aria2() async throws -> (url: String?, problem: String?) {
                let run = try await scene.succeed("daemon", "status", "--json")
                let status = try WireJSON.decode(DaemonStatus.self, from: run.output.utf8)
                return (status.aria2URL, status.aria2Problem)
            }
            try await scene.succeed(
                "daemon",
                "start",
                "--aria2-rpc",
                "0.0.0.0:0",
                "--tls-cert",
                files.certificate,
                "--tls-key",
                files.key
            )
            #expect(try await aria2().url?.hasPrefix("https://") == true)
            try await scene.succeed("daemon", "stop")
            try files.folder.write("pawl.pem", "")
            try await scene.succeed("daemon", "start")
            #expect(try await aria2().url == nil)
            #expect(try await aria2().problem?.contains("contains no certificate") == true)
            try files.write(.localhost)
            try await scene.succeed(
                "daemon",
                "start",
                "--tls-cert",
                files.certificate,
                "--tls-key",
                files.key
            )
            #expect(try await aria2().url?.hasPrefix("https://") == true)
            try await scene.succeed("daemon", "start", "--aria2-rpc", "127.0.0.1:0")
            try await scene.succeed("daemon", "stop")
            try files.folder.write("pawl.pem", "")
            try await scene.succeed("daemon", "start")
            #expect(try await aria2().url?.hasPrefix("http://127.0.0.1:") == true)
            try await scene.succeed("daemon", "stop")
        }

        @Test func `a listener can be closed when the certificate is gone`() async throws {
            let files = try CertificateFiles()
            try files.write(.localhost)
            let scene = try DaemonScene(Workshop())
            func status() async throws -> DaemonStatus {
                let run = try await scene.succeed("daemon", "status", "--json")
                return try WireJSON.decode(DaemonStatus.self, from: run.output.utf8)
            }
            let certificate = ["--tls-cert", files.certificate, "--tls-key", files.key]
            let addresses = ["--listen", "127.0.0.1:0", "--aria2-rpc", "0.0.0.0:0"]
            let start = ["daemon", "start"]
            func run(_ options: [String]) async throws -> FinishedProcess {
                try await scene.workshop.run(start + options, scene.settings)
            }
            let first = try await run(addresses + certificate)
            #expect(first.status == .code(0), "\(first.errors)")
            #expect(unlink(files.certificate) == 0)
            // An address that needs the certificate is refused, and nothing has changed.
            for options in [["--listen", "127.0.0.1:0"], ["--aria2-rpc", "0.0.0.0:0"]] {
                expectFailure(.fileUnreadable, try await run(options))
            }
            #expect(try await status().url?.hasPrefix("https://") == true)
            // Clients of aria2 on this machine need no TLS.
            try await scene.succeed("daemon", "start", "--aria2-rpc", "127.0.0.1:0")
            #expect(try await status().aria2URL?.contains("//127.0.0.1:") == true)
            try await scene.succeed("daemon", "start", "--aria2-rpc", "off")
            #expect(try await status().aria2URL == nil)
            // The other listener keeps its certificate.
            #expect(try await status().url?.hasPrefix("https://") == true)
            try await scene.succeed("daemon", "start", "--listen", "off")
            #expect(try await status().url == nil)
            // A daemon that was started without the file closes its listeners, too.
            try files.write(.localhost)
            let second = try await run(addresses + certificate)
            #expect(second.status == .code(0), "\(second.errors)")
            try await scene.succeed("daemon", "stop")
            #expect(unlink(files.certificate) == 0)
            try await scene.succeed("daemon", "start", "--listen", "off", "--aria2-rpc", "off")
            let closed = try await status()
            #expect(closed.url == nil && closed.listenProblem == nil)
            #expect(closed.aria2URL == nil && closed.aria2Problem == nil)
            try await scene.succeed("daemon", "stop")
        }
    }
}
