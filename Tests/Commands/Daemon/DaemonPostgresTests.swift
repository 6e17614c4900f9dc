import FoundationEssentials
import Glibc
import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// The daemon with its queue in PostgreSQL.
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct DaemonPostgresTests {
        private static let resource = Resource(size: 24 << 20)

        /// A scene whose daemon has a database of its own on the shared server.
        private func scene(_ workshop: Workshop) async throws -> DaemonScene {
            let cluster = try await PostgresCluster.shared()
            return try DaemonScene(
                workshop,
                store: cluster.address(try await cluster.makeDatabase())
            )
        }

        @Test func `a queue in a database outlives its daemon`() async throws {
            let scene = try await scene(Workshop(Resource(size: 300_000)))
            let daemon = try await scene.startDaemon()
            try await scene.succeed("add", scene.workshop.url)
            try await scene.succeed("wait", "1")
            try await scene.succeed("add", "--paused", "--label", "films", "http://example.org/a")
            try await scene.succeed("set", "--priority", "high", "2")
            daemon.signal(SIGTERM)
            #expect(await daemon.waitForExit() == .code(0), "\(daemon.errors)")
            let next = try await scene.startDaemon()
            let rows = try await scene.downloads()
            #expect(rows.map(\.state) == [.finished, .paused])
            #expect(rows.map(\.priority) == [.normal, .high])
            let events = try await scene.events()
            expectSound(events)
            #expect(events.contains { $0.kind == .finished && $0.download == 1 })
            let status = try await status(scene)
            #expect(status.store.hasPrefix("PostgreSQL: "), "\(status.store)")
            #expect(status.storeProblem == nil)
            #expect(!scene.home.exists("state/pawl/queue.sqlite"))
            withExtendedLifetime(next) {}
        }

        @Test func `a daemon that is killed loses nothing acknowledged`() async throws {
            let scene = try await scene(Workshop())
            try await scene.leaveInTheMiddle(of: Self.resource)
            scene.workshop.serve(.resource(Self.resource))
            let daemon = try await scene.startDaemon()
            try await scene.succeed("wait", "1")
            try expectExact(Workshop.name, Self.resource, in: scene.workshop)
            #expect(scene.workshop.origin.requests.last?.range != nil)
            expectSound(try await scene.events())
            withExtendedLifetime(daemon) {}
        }

        @Test func `a token and a link of one daemon are valid for the next one of the database`()
            async throws
        {
            let cluster = try await PostgresCluster.shared()
            let store = cluster.address(try await cluster.makeDatabase())
            func start() async throws -> NetworkScene {
                let scene = try DaemonScene(Workshop(), store: store)
                let daemon = try scene.start(["daemon", "run", "--listen", "127.0.0.1:0"], [:])
                #expect(await daemon.waitForOutput(containing: "listens at"), "\(daemon.errors)")
                return try await NetworkScene.attach(to: daemon, of: scene)
            }
            func token(_ network: NetworkScene, _ options: String...) async throws -> String {
                let run = try await network.scene.workshop.run(
                    ["daemon", "token"] + options,
                    network.scene.settings
                )
                #expect(run.status == .code(0), "\(run.errors)")
                return run.output
            }
            func isAccepted(_ field: String, _ network: NetworkScene) async throws -> Bool {
                try await network.ask("GET", "/v1/status", fields: [field]).status == 200
            }
            func login(_ code: Substring, _ network: NetworkScene) async throws -> String? {
                let none = ["Cookie: none=1"]
                let body = #"{"code":"\#(code)"}"#
                let answer = try await network.ask("POST", "/v1/login", body, fields: none)
                #expect(answer.status == (answer.fields["set-cookie"] == nil ? 401 : 204))
                return answer.fields["set-cookie"].map { "Cookie: \($0.prefix { $0 != ";" })" }
            }
            let first = try await start()
            let reader =
                "Authorization: Bearer \(try await token(first, "--scope", "read").dropLast())"
            let link = try await token(first, "--url")
            let code = try #require(link.split(separator: "#code=").last).dropLast()
            #expect(try await isAccepted(reader, first))
            first.daemon.signal(SIGTERM)
            #expect(await first.daemon.waitForExit() == .code(0), "\(first.daemon.errors)")
            let second = try await start()
            #expect(second.token == first.token)
            #expect(try await isAccepted(reader, second))
            #expect(try await token(second, "--list") == "main  manage\nread  read\n")
            let cookie = try #require(try await login(code, second))
            #expect(try await isAccepted(cookie, second))
            #expect(try await login(code, second) == nil)
            _ = try await token(second, "--revoke", "read")
            #expect(try await !isAccepted(reader, second))
            expectFailure(
                .notFound,
                try await second.scene.run("daemon", "token", "--revoke", "read")
            )
            let fresh = try await token(second, "--new")
            #expect(!fresh.contains(second.token))
            #expect(try await !isAccepted(cookie, second))
            #expect(try await !isAccepted("Authorization: Bearer \(second.token)", second))
            #expect(try await isAccepted("Authorization: Bearer \(fresh.dropLast())", second))
            withExtendedLifetime(first) {}
        }

        @Test func `a session in a database gets its events again after a kill of the daemon`()
            async throws
        {
            let scene = try await scene(Workshop())
            let (process, latch) = try await scene.heldTask(of: Self.resource)
            await process.kill()
            let status = try await status(scene)
            kill(status.processIdentifier, SIGKILL)
            latch.release()
            let next = try await scene.session("films")
            await next.hears("completed one ok")
            try expectExact(Workshop.name, Self.resource, in: scene.workshop)
            await next.kill()
        }

        // MARK: - Outages

        @Test func `downloads continue without the database, and end when it is back`()
            async throws
        {
            try await PostgresCluster.run { cluster in
                let scene = try DaemonScene(Workshop(), store: cluster.address())
                let daemon = try await scene.startDaemon()
                let latch = try await scene.addHeld(Self.resource)
                await cluster.stop()
                try await waitForProblem(scene, daemon)
                for arguments in [
                    ["add", "--paused", "http://example.org/a"], ["pause", "1"], ["list"],
                ] {
                    let run = try await scene.workshop.run(arguments, scene.settings)
                    expectFailure(.storeUnavailable, run)
                }
                for path in ["healthz", "readyz"] {
                    let head = try await health(scene, path)
                    #expect(head.contains("503"), "\(head)")
                    #expect(head.lowercased().contains("retry-after: 1"), "\(head)")
                }
                let shown = try await scene.succeed("daemon", "status")
                #expect(shown.output.contains("problem"), "\(shown.output)")
                latch.release()
                // All bytes arrive, but the file gets its name only when the queue knows of it.
                await scene.workshop.origin.waitForBytes(Self.resource.size)
                let isLate = await daemon.waitForOutput(containing: "the queue cannot be written")
                #expect(isLate, "\(daemon.errors)")
                #expect(!scene.workshop.folder.exists(Workshop.name))
                try await cluster.start()
                let isBack = await daemon.waitForOutput(containing: "the queue is available again")
                #expect(isBack, "\(daemon.errors)")
                try await scene.succeed("wait", "1")
                try expectExact(Workshop.name, Self.resource, in: scene.workshop)
                expectSound(try await scene.events())
                #expect(try await status(scene).storeProblem == nil)
                #expect(try await health(scene).contains("200"))
                #expect(try await health(scene, "readyz").contains("200"))
                daemon.signal(SIGTERM)
                #expect(await daemon.waitForExit() == .code(0), "\(daemon.errors)")
            }
        }

        /// A daemon that reaches its database through a relay.
        private func relayed() async throws -> (relay: TCPRelay, scene: DaemonScene) {
            let cluster = try await PostgresCluster.shared()
            let database = try await cluster.makeDatabase()
            let relay = try TCPRelay(to: .port(cluster.port))
            let user = "user=\(PostgresCluster.user) dbname=\(database)"
            let scene = try DaemonScene(
                Workshop(),
                store: "host=127.0.0.1 port=\(relay.port) \(user)"
            )
            return (relay, scene)
        }

        @Test func `a daemon that does not know what became of a change ends, and starts again`()
            async throws
        {
            let (relay, scene) = try await relayed()
            let daemon = try await scene.startDaemon()
            try await scene.succeed("add", "--paused", "http://example.org/a")
            // The change is committed, and nobody can ask for it.
            relay.cut(.answer(to: "'added'", bytes: 0))
            relay.cut(.text("pg_xact_status", .toServer, isForwarded: false), times: 9)
            relay.refuse()
            let add = try await scene.run("add", "--paused", "http://example.org/b")
            expectFailure(.storeUnavailable, add)
            #expect(add.errors.contains("not known whether"), "\(add.errors)")
            let status = ErrorCode.storeUnavailable.exitStatus
            #expect(await daemon.waitForExit() == .code(status), "\(daemon.errors)")
            #expect(daemon.errors.contains("the daemon ends"), "\(daemon.errors)")
            relay.removeCuts()
            relay.accept()
            let next = try await scene.startDaemon()
            #expect(try await scene.downloads().map(\.name) == ["a", "b"])
            withExtendedLifetime((relay, next)) {}
        }

        private static let movedFolder = "moved-by-rule"

        /// Starts a download that a rule moves, and interrupts the database when the file is complete
        /// and the move is to be recorded.
        private func interruptMove(
            _ relay: TCPRelay,
            _ scene: DaemonScene,
            _ daemon: ProcessRunner
        ) async throws {
            let latch = scene.serveHeld(Self.resource)
            try await scene.succeed(
                "add",
                scene.workshop.url,
                "-x",
                "1",
                "--move",
                "type=* -> \(scene.home.path(Self.movedFolder))"
            )
            try await FolderWatch.wait(for: Workshop.name + ".part.pawl", in: scene.workshop.folder)
            // The record of the move does not reach the database.
            relay.cut(.text(Self.movedFolder, .toServer, isForwarded: false))
            relay.refuse()
            latch.release()
            await relay.waitUntil { $0.cuts == 1 }
            try await waitForProblem(scene, daemon)
        }

        private func expectMoved(_ scene: DaemonScene) async throws {
            try await scene.succeed("wait", "1")
            let bytes = try scene.home.read("\(Self.movedFolder)/disk.iso")
            #expect(bytes == Self.resource.bytes())
            #expect(scene.workshop.folder.list().isEmpty)
        }

        @Test func `a rule moves a file although the database is away when the file is complete`()
            async throws
        {
            let (relay, scene) = try await relayed()
            let daemon = try await scene.startDaemon()
            try await interruptMove(relay, scene, daemon)
            relay.accept()
            let isBack = await daemon.waitForOutput(containing: "the queue is available again")
            #expect(isBack, "\(daemon.errors)")
            try await expectMoved(scene)
            withExtendedLifetime((relay, daemon)) {}
        }

        @Test func `a rule that could not be recorded before the end of the daemon applies later`()
            async throws
        {
            let (relay, scene) = try await relayed()
            let daemon = try await scene.startDaemon()
            try await interruptMove(relay, scene, daemon)
            daemon.signal(SIGTERM)
            #expect(await daemon.waitForExit() == .code(0), "\(daemon.errors)")
            #expect(!daemon.errors.contains("took too long"), "\(daemon.errors)")
            relay.accept()
            let next = try await scene.startDaemon()
            try await expectMoved(scene)
            withExtendedLifetime((relay, next)) {}
        }

        private func waitForProblem(_ scene: DaemonScene, _ daemon: ProcessRunner) async throws {
            let isSeen = await daemon.waitForOutput(containing: "the queue is not available")
            #expect(isSeen, "\(daemon.errors)")
            #expect(try await status(scene).storeProblem != nil)
        }

        private func health(
            _ scene: DaemonScene,
            _ path: String = "healthz"
        ) async throws -> String {
            let socket = scene.home.path("run/pawl/daemon.sock")
            let run = try await ProcessRunner.run(
                "curl",
                ["-s", "-i", "--unix-socket", socket, "http://d/\(path)"]
            )
            return run.output
        }

        private func status(_ scene: DaemonScene) async throws -> DaemonStatus {
            let run = try await scene.succeed("daemon", "status", "--json")
            return try WireJSON.decode(DaemonStatus.self, from: run.output.utf8)
        }

        // MARK: - Failing starts

        @Test func `a second daemon does not get the database of the first`() async throws {
            let first = try await scene(Workshop())
            let daemon = try await first.startDaemon()
            try await first.succeed("add", "--paused", "http://example.org/a")
            let second = try DaemonScene(Workshop(), store: first.store)
            let refused = try await second.run("daemon", "start")
            expectError(.alreadyRunning, refused)
            #expect(refused.errors.contains("another daemon uses the queue"), "\(refused.errors)")
            #expect(try await first.downloads().map(\.name) == ["a"])
            daemon.signal(SIGTERM)
            #expect(await daemon.waitForExit() == .code(0), "\(daemon.errors)")
            try await second.succeed("daemon", "start")
            #expect(try await second.downloads().map(\.name) == ["a"])
            try await second.succeed("daemon", "stop")
        }

        private struct Refusal {
            var store: String
            var code: ErrorCode
            var text: String
        }

        @Test func `a database that cannot be used is named with advice`() async throws {
            let cluster = try await PostgresCluster.shared()
            let database = try await cluster.makeDatabase()
            try await cluster.run("CREATE ROLE guest\(database) LOGIN")
            let refusals = [
                Refusal(
                    store: "host=127.0.0.1 port=1 dbname=pawl user=pawl",
                    code: .storeUnavailable,
                    text: "check that the server runs"
                ),
                Refusal(
                    store: cluster.address("absent"),
                    code: .storeUnavailable,
                    text: "createdb"
                ),
                Refusal(
                    store: cluster.address(database, user: "guest\(database)"),
                    code: .storeUnavailable,
                    text: "GRANT"
                ),
                Refusal(store: "/var/lib/pawl", code: .usage, text: "postgres://USER@HOST"),
                Refusal(store: "postgres://[::1/x", code: .usage, text: "postgres://USER@HOST"),
            ]
            for refusal in refusals {
                let scene = try DaemonScene(Workshop(), store: refusal.store)
                let run = try await scene.run("daemon", "start")
                expectError(refusal.code, run)
                #expect(run.errors.contains(refusal.text), "\(run.errors)")
                #expect(!scene.home.exists("state/pawl/queue.sqlite"))
            }
        }

        @Test func `a queue of a newer version is left as it is`() async throws {
            let scene = try await scene(Workshop())
            try await scene.succeed("daemon", "start")
            try await scene.succeed("add", "--paused", "http://example.org/a")
            try await scene.succeed("daemon", "stop")
            let cluster = try await PostgresCluster.shared()
            let store = try #require(scene.store)
            let database = String(store.split(separator: "=").last ?? "")
            let change = "UPDATE pawl.setting SET value = '99' WHERE name LIKE 'schema%'"
            try await cluster.run(change, in: database)
            let refused = try await scene.run("daemon", "start")
            expectError(.directoryNotUsable, refused)
            #expect(refused.errors.contains("newer version"), "\(refused.errors)")
            let rows = try await cluster.run("SELECT name FROM pawl.download", in: database)
            #expect(rows == "a\n")
        }

        // MARK: - Passwords

        @Test func `the password of the database appears in no output`() async throws {
            var settings = PostgresCluster.Settings()
            settings.needsPassword = true
            try await PostgresCluster.run(settings) { cluster in
                let store = cluster.address() + " password='\(PostgresCluster.password)'"
                let scene = try DaemonScene(Workshop(), store: store)
                let wrong = try DaemonScene(
                    Workshop(),
                    store: cluster.address() + " password=tiger"
                )
                let refused = try await wrong.run("daemon", "start")
                expectError(.storeUnavailable, refused)
                #expect(refused.errors.contains("PGPASSFILE"), "\(refused.errors)")
                #expect(!refused.everything.contains("tiger"), "\(refused.everything)")
                try await scene.succeed("daemon", "start")
                var outputs = [
                    try await scene.succeed("daemon", "status", "--json").everything,
                    try await scene.succeed("daemon", "restart").everything,
                    try await scene.succeed("daemon", "logs").everything,
                ]
                let process = try await status(scene).processIdentifier
                outputs.append(try text("/proc/\(process)/cmdline"))
                let typed = try DaemonScene(Workshop(), store: "sqlite")
                let started = try await typed.run("daemon", "start", "--store", store)
                // The first daemon has the database.
                expectError(.alreadyRunning, started)
                #expect(started.errors.contains("PAWL_STORE"), "\(started.errors)")
                outputs.append(started.everything)
                await cluster.stop()
                outputs.append(try await scene.run("list").everything)
                for output in outputs {
                    #expect(!output.contains(PostgresCluster.password), "\(output)")
                }
                try await scene.succeed("daemon", "stop")
            }
        }

        private func text(_ path: String) throws -> String {
            String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
        }

        // MARK: - The choice

        @Test func `the config file chooses the store, and a queue in a file stays as it is`()
            async throws
        {
            let cluster = try await PostgresCluster.shared()
            let database = try await cluster.makeDatabase()
            let scene = try DaemonScene(Workshop(), store: "sqlite")
            try await scene.succeed("add", "--paused", "http://example.org/file")
            try await scene.succeed("daemon", "stop")
            let file = "[defaults]\nstore = \"\(cluster.address(database))\"\n"
            let config = try scene.home.write("config.toml", file)
            let choice: [String: String] = ["PAWL_STORE": "", "PAWL_CONFIG": config]
            let add = try scene.start(["add", "--paused", "http://example.org/row"], choice)
            #expect(await add.waitForExit() == .code(0), "\(add.errors)")
            #expect(
                try await cluster.run("SELECT name FROM pawl.download", in: database) == "row\n"
            )
            let stop = try scene.start(["daemon", "stop"], choice)
            #expect(await stop.waitForExit() == .code(0), "\(stop.errors)")
            let log = try scene.home.readText("state/pawl/daemon.log")
            #expect(log.contains("queue.sqlite is not used"), "\(log)")
            try await scene.succeed("daemon", "start")
            #expect(try await scene.downloads().map(\.name) == ["file"])
            try await scene.succeed("daemon", "stop")
        }
    }
}
