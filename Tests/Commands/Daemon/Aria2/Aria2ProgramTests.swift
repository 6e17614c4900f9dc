import Glibc
import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// The command under the name `aria2c`.
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct Aria2ProgramTests {
        private let resource = Resource(size: 300_000)

        /// Starts the command through a link with that name.
        private func start(
            _ arguments: [String],
            _ scene: DaemonScene,
            _ environment: [String: String?] = [:]
        ) throws -> ProcessRunner {
            let path = scene.home.path("aria2c")
            _ = symlink(Workshop.program, path)
            var settings = scene.settings
            settings.environment.merge(environment) { _, own in own }
            return try ProcessRunner(path, arguments, scene.workshop.complete(settings))
        }

        private func serve(
            _ arguments: [String],
            _ scene: DaemonScene,
            _ environment: [String: String?] = [:]
        ) async throws -> (ProcessRunner, Aria2Endpoint) {
            let port = try UnusedPort.find()
            let runner = try start(
                ["--enable-rpc", "--rpc-listen-port=\(port)", "--rpc-secret=example"] + arguments,
                scene,
                environment
            )
            let isReady = await runner.waitForOutput(containing: "listens at")
            #expect(isReady, "\(runner.errors)")
            return (
                runner, Aria2Endpoint(origin: "http://127.0.0.1:\(port)", secret: "example")
            )
        }

        @Test func `a program starts aria2c, controls it with its own secret, and ends it`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            let folder = scene.home.path("files")
            let (runner, aria2) = try await serve(
                [
                    "--rpc-listen-all", "--rpc-allow-origin-all", "--no-conf", "--dir", folder,
                    "--bt-max-peers=5", "-x16", "-s", "4", "--save-session=session",
                    "--max-concurrent-downloads=7", "--max-download-limit=100K",
                    "--http-user=joe", "--http-passwd=tide",
                ],
                scene
            )
            #expect(runner.errors.contains("--bt-max-peers has no effect"))
            #expect(runner.errors.contains("only programs of this machine"))
            #expect(!runner.errors.contains("save-session"))
            #expect(try await aria2.call("getVersion")["version"] == "1.37.0")
            #expect(try await aria2.failure("getVersion", secret: "x") == "Unauthorized")
            let shown = try await aria2.call("getGlobalOption")
            #expect(shown["dir"] == .text(folder) && shown["max-concurrent-downloads"] == "7")
            #expect(shown["split"] == "4" && shown["max-download-limit"] == "102400")
            #expect(shown["http-user"] == nil && shown["http-passwd"] == nil)
            let gid = try await aria2.add("http://127.0.0.1:1/a", options: ["pause": "true"])
            let options = try await aria2.call("getOption", gid)
            #expect(options["split"] == "4" && options["dir"] == .text(folder))
            let other: JSONValue = ["dir": .text(try scene.home.makeFolder("other"))]
            #expect(
                try await !aria2.failure("addUri", ["http://127.0.0.1:1/b"], other).isEmpty
            )
            // The secret is in no list of processes, and the user's own queue is not used.
            let words = try await ProcessRunner.run("cat", ["/proc/\(runner.identifier)/cmdline"])
            #expect(words.output.hasPrefix("pawld") && !words.output.contains("example"))
            #expect(!scene.home.exists("state/pawl/queue.sqlite"))
            #expect(try await aria2.call("forceShutdown") == "OK")
            #expect(await runner.waitForExit() == .code(0))
        }

        @Test func `the daemon of aria2c does not get the user's variables`() async throws {
            let scene = try DaemonScene(Workshop())
            let (runner, aria2) = try await serve(
                ["--no-conf"],
                scene,
                ["PAWL_DAEMON_TOKEN": "t0ken", "PAWL_USER": "me:example", "NO_PAWL_OPTION": "kept"]
            )
            let file = "/proc/\(runner.identifier)/environ"
            let environment = try await ProcessRunner.run("cat", [file])
            #expect(environment.output.contains("NO_PAWL_OPTION=kept"), "\(environment.errors)")
            #expect(!environment.output.contains("PAWL_DAEMON_TOKEN"))
            #expect(!environment.output.contains("PAWL_USER"))
            #expect(try await aria2.call("forceShutdown") == "OK")
            #expect(await runner.waitForExit() == .code(0))
        }

        @Test func `aria2c downloads its list, and adds an entry with a GID once`() async throws {
            let scene = try DaemonScene(Workshop())
            scene.workshop.serve(.resource(resource))
            let list = """
                \(scene.workshop.url)
                 gid=00000000000000aa
                 out=listed.iso
                 unknown=1
                """
            let path = try scene.home.write("list.txt", Array(list.utf8))
            let folder = try scene.home.makeFolder("files")
            for round in 1...2 {
                let (runner, aria2) = try await serve(["-i", path, "-d", folder], scene)
                // The command line is the user's, so the download may connect to this machine.
                try await aria2.wait(for: "complete", of: "00000000000000aa")
                #expect(try scene.home.read("files/listed.iso") == resource.bytes())
                #expect(try await aria2.call("tellStopped", 0, 9).values.count == 1, "\(round)")
                runner.signal(SIGTERM)
                #expect(await runner.waitForExit() == .code(0))
            }
        }

        @Test func `aria2c ends with the process whose ID it is given`() async throws {
            let scene = try DaemonScene(Workshop())
            let owner = try ProcessRunner("sleep", ["600"])
            let (runner, aria2) = try await serve(
                ["--no-conf", "--stop-with-process=\(owner.identifier)"],
                scene
            )
            #expect(try await aria2.call("getVersion")["version"] == "1.37.0")
            #expect(runner.status == nil)
            owner.signal(SIGKILL)
            #expect(await runner.waitForExit() == .code(0), "\(runner.errors)")
            // The process exists no longer.
            let late = try start(
                [
                    "--enable-rpc", "--rpc-listen-port=\(try UnusedPort.find())",
                    "--rpc-secret=example", "--no-conf",
                    "--stop-with-process=\(owner.identifier)",
                ],
                scene
            )
            #expect(await late.waitForExit() == .code(0), "\(late.errors)")
        }

        @Test func `aria2c ends after the time that it is given`() async throws {
            let scene = try DaemonScene(Workshop())
            let (runner, _) = try await serve(["--no-conf", "--stop=1"], scene)
            #expect(await runner.waitForExit() == .code(0), "\(runner.errors)")
        }

        @Test func `without RPC, aria2c ends with a process or after a time, and resumes later`()
            async throws
        {
            let large = Resource(size: 12 << 20)
            for isTime in [true, false] {
                let scene = try DaemonScene(Workshop())
                let latch = scene.serveHeld(large)
                let owner = try ProcessRunner("sleep", ["600"])
                let option = isTime ? "--stop=1" : "--stop-with-process=\(owner.identifier)"
                let arguments = ["--no-conf", "-x1", scene.workshop.url]
                let runner = try start([option] + arguments, scene)
                let folder = scene.workshop.folder
                if !isTime {
                    try await FolderWatch.wait(for: Workshop.name + ".part", in: folder)
                    owner.signal(SIGKILL)
                }
                let status = await runner.waitForExit()
                #expect(status == .code(ErrorCode.interrupted.exitStatus), "\(runner.errors)")
                #expect(runner.errors.contains("interrupted"), "\(runner.errors)")
                #expect(!runner.errors.contains("has no effect"))
                latch.release()
                scene.workshop.serve(.resource(large))
                // 0 is no limit.
                let again = try start(["--stop=0"] + arguments, scene)
                #expect(await again.waitForExit() == .code(0), "\(again.errors)")
                try expectExact(Workshop.name, large, in: scene.workshop)
                owner.signal(SIGKILL)
            }
        }

        @Test func `aria2c answers over TLS with the certificate that it is given`() async throws {
            let scene = try DaemonScene(Workshop())
            let files = try CertificateFiles()
            try files.write(.localhost)
            let secure = [
                "--no-conf", "--rpc-secure", "--rpc-certificate", files.certificate,
                "--rpc-private-key", files.key,
            ]
            let (runner, aria2) = try await serve(secure + ["--rpc-listen-all"], scene)
            #expect(!runner.errors.contains("has no effect"), "\(runner.errors)")
            #expect(!runner.errors.contains("only programs of this machine"))
            let port = try #require(aria2.origin.split(separator: ":").last)
            func version(_ options: String...) async throws -> FinishedProcess {
                let body = String(
                    decoding: try WireJSON.encode(aria2.object("getVersion")),
                    as: UTF8.self
                )
                return try await ProcessRunner.run(
                    "curl",
                    ["-sg", "--noproxy", "*", "--max-time", "60", "--data-binary", body] + options
                )
            }
            let near = try await version(
                "--cacert",
                files.authority,
                "https://127.0.0.1:\(port)/jsonrpc"
            )
            #expect(near.output.contains("1.37.0"), "\(near.errors)")
            let far = try await version("-k", "https://127.0.0.2:\(port)/jsonrpc")
            #expect(far.output.contains("1.37.0"), "\(far.errors)")
            // It listens at all addresses, so it needs TLS at each.
            let plain = try await version("http://127.0.0.1:\(port)/jsonrpc")
            #expect(!plain.output.contains("1.37.0"))
            runner.signal(SIGTERM)
            #expect(await runner.waitForExit() == .code(0))
            // The next start without the options is without TLS.
            let again = try start(
                [
                    "--enable-rpc", "--rpc-listen-port=\(port)", "--rpc-secret=example",
                    "--no-conf",
                ],
                scene
            )
            #expect(await again.waitForOutput(containing: "listens at"), "\(again.errors)")
            #expect(try await aria2.call("getVersion")["version"] == "1.37.0")
        }

        @Test func `without RPC, aria2c downloads a file from its mirrors`() async throws {
            let scene = try DaemonScene(Workshop())
            scene.workshop.serve(.resource(resource))
            let configuration = try scene.home.write("own.conf", Array("out=own.iso\n".utf8))
            let runner = try start(
                [
                    "-x4", "-s4", "-k", "1M", "-c", "--conf-path", configuration, "-d",
                    scene.home.path("files"), "--summary-interval=0", scene.workshop.url,
                    scene.workshop.url + "?mirror",
                ],
                scene
            )
            #expect(await runner.waitForExit() == .code(0), "\(runner.errors)")
            #expect(try scene.home.read("files/own.iso") == resource.bytes())
        }

        @Test func `aria2c downloads nothing if a dry run is asked for`() async throws {
            let scene = try DaemonScene(Workshop())
            scene.workshop.serve(.resource(resource))
            let rpc = [
                "--enable-rpc", "--rpc-secret=x", "--rpc-listen-port=\(try UnusedPort.find())",
            ]
            for more in [["--dry-run"], ["--dry-run=maybe"], rpc + ["--dry-run"]] {
                let refused = try start(["--no-conf", scene.workshop.url] + more, scene)
                #expect(await refused.waitForExit() == .code(ErrorCode.usage.exitStatus))
                #expect(refused.errors.contains("--dry-run is not available"), "\(refused.errors)")
                #expect(!refused.errors.contains("has no effect"))
            }
            #expect(scene.workshop.origin.requests.isEmpty)
            let run = try start(["--no-conf", "--dry-run=false", scene.workshop.url], scene)
            #expect(await run.waitForExit() == .code(0), "\(run.errors)")
            #expect(!run.errors.contains("has no effect"), "\(run.errors)")
            let (runner, aria2) = try await serve(["--no-conf"], scene)
            let dry: JSONValue = ["dry-run": "true"]
            let refusal = try await aria2.failure("addUri", ["http://127.0.0.1:1/b"], dry)
            #expect(refusal.contains("dry-run is not available"), "\(refusal)")
            runner.signal(SIGTERM)
            #expect(await runner.waitForExit() == .code(0))
        }

        @Test func `aria2c refuses values that it cannot use, before it starts`() async throws {
            let scene = try DaemonScene(Workshop())
            let list = try scene.home.write(
                "list.txt",
                "\(scene.workshop.url)\n max-download-limit=-3\n"
            )
            let rpc = [
                "--enable-rpc", "--rpc-secret=x", "--rpc-listen-port=\(try UnusedPort.find())",
            ]
            for (arguments, name) in [
                (rpc + ["--max-download-limit=-3"], "--max-download-limit: "),
                (rpc + ["--max-overall-download-limit=fast"], "--max-overall-download-limit: "),
                (rpc + ["--split=x", "--split=2"], "--split: "),
                (rpc + ["-i", list], "--max-download-limit: "),
                (["--max-download-limit=-3", scene.workshop.url], "--max-download-limit: "),
            ] {
                let refused = try start(["--no-conf"] + arguments, scene)
                #expect(await refused.waitForExit() == .code(ErrorCode.usage.exitStatus))
                #expect(refused.errors.contains(name), "\(arguments): \(refused.errors)")
            }
            #expect(scene.workshop.origin.requests.isEmpty)
        }

        @Test func `errors of aria2c name its own options`() async throws {
            let scene = try DaemonScene(Workshop())
            let missing = try start(["--no-conf"], scene)
            #expect(await missing.waitForExit() == .code(ErrorCode.usage.exitStatus))
            #expect(missing.errors.contains("missing URI; see 'aria2c --help'"))
            let (runner, aria2) = try await serve(["--no-conf"], scene)
            let port = try #require(aria2.origin.split(separator: ":").last)
            // Another user's folders, so that only the port is the same.
            let other = try DaemonScene(Workshop())
            let second = try start(
                ["--no-conf", "--enable-rpc", "--rpc-secret=x", "--rpc-listen-port=\(port)"],
                other
            )
            let status = await second.waitForExit()
            #expect(status == .code(ErrorCode.alreadyRunning.exitStatus), "\(second.errors)")
            #expect(second.errors.contains("aria2c --rpc-listen-port=PORT"), "\(second.errors)")
            #expect(!second.errors.contains("--aria2-rpc"))
            runner.signal(SIGTERM)
            #expect(await runner.waitForExit() == .code(0))
        }

        @Test func `aria2c prints its version, and refuses to answer without a secret`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            let version = try start(["--version"], scene)
            #expect(await version.waitForExit() == .code(0))
            #expect(version.output.hasPrefix("aria2 version 1.37.0\n"))
            let help = try start(["-h"], scene)
            #expect(await help.waitForExit() == .code(0))
            #expect(help.output.contains("--rpc-secret"))
            for arguments in [
                ["--enable-rpc"], ["--enable-rpc", "--rpc-secret="],
                ["--enable-rpc", "--rpc-secret=x", "--rpc-listen-port=x"],
                ["--enable-rpc", "--rpc-secret=x", "--stop-with-process=0"],
                ["--enable-rpc", "--rpc-secret=x", "--stop=soon"],
                ["--enable-rpc", "--rpc-secret=x", "--rpc-secure"],
                ["--enable-rpc", "--rpc-secret=x", "--rpc-secure", "--rpc-certificate=a.p12"],
                ["--enable-rpc", "--rpc-secret=x", "--rpc-secure", "--rpc-certificate=/nowhere"],
                ["--stop=soon", "http://127.0.0.1:1/a"],
                ["--conf-path=/nowhere", "http://127.0.0.1:1/a"],
            ] {
                let refused = try start(arguments, scene)
                let status = await refused.waitForExit()
                #expect(status != .code(0) && !refused.errors.isEmpty, "\(arguments)")
            }
        }
    }
}
