import Glibc
import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// A daemon whose queue is changed by another one, in whose place the tests write the rows.
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct DaemonSharedQueueTests {
        /// A daemon with a database of its own on the shared server.
        private struct Scene {
            let cluster: PostgresCluster
            let database: String
            let network: NetworkScene

            init(_ options: String...) async throws {
                cluster = try await PostgresCluster.shared()
                database = try await cluster.makeDatabase()
                let scene = try DaemonScene(Workshop(), store: cluster.address(database))
                let daemon = try scene.start(
                    ["daemon", "run", "--listen", "127.0.0.1:0"] + options,
                    [:]
                )
                #expect(await daemon.waitForOutput(containing: "listens at"), "\(daemon.errors)")
                network = try await NetworkScene.attach(to: daemon, of: scene)
            }

            /// Begins a stream of events; it has begun when this returns.
            func reader() async throws -> ProcessRunner {
                let reader = try ProcessRunner(
                    "curl",
                    [
                        "-sN", "--noproxy", "*", "\(network.origin)/v1/events", "-H",
                        "Authorization: Bearer \(network.token)",
                    ]
                )
                #expect(await reader.waitForOutput(containing: ":"), "\(reader.errors)")
                return reader
            }

            /// Writes what another daemon writes in one transaction: statements, the counts of topics,
            /// and the event of a settings change with this number of downloads.
            func write(
                _ statements: String = "SELECT 1",
                topics: [String] = [],
                event number: Int,
                isNotified: Bool = true
            ) async throws {
                let counts = topics.map { topic in
                    """
                    INSERT INTO counter AS known VALUES ('\(topic)', 1)
                        ON CONFLICT (name) DO UPDATE SET value = known.value + 1;
                    """
                }
                let notices =
                    """
                    SELECT pg_notify('pawl', 't');
                    SELECT pg_notify('pawl', 'e ' || value) FROM counter WHERE name = 'event';
                    """
                try await cluster.run(
                    """
                    SET search_path TO pawl; BEGIN; \(statements); \(counts.joined())
                    UPDATE counter SET value = value + 1 WHERE name = 'event';
                    INSERT INTO event (id, kind, download, name, at, detail)
                        SELECT value, 'settings', 0, '', 0,
                            '{"maximumConcurrentDownloads":\(number)}'
                        FROM counter WHERE name = 'event';
                    \(isNotified ? notices : "") COMMIT
                    """,
                    in: database
                )
            }

            func waitForEvent(_ number: Int, _ reader: ProcessRunner) async {
                let text = "\"maximumConcurrentDownloads\":\(number)"
                #expect(await reader.waitForOutput(containing: text), "\(reader.output)")
            }

            func status(_ field: String) async throws -> Int {
                try await network.ask("GET", "/v1/status", fields: [field]).status
            }
        }

        @Test(arguments: [true, false])
        func `a stream has the events of another daemon, also if their notification is lost`(
            isNotified: Bool
        ) async throws {
            let scene = try await Scene()
            let reader = try await scene.reader()
            for number in 31...33 { try await scene.write(event: number, isNotified: isNotified) }
            await scene.waitForEvent(33, reader)
            let events = reader.output.split(separator: "\n").filter { $0.hasPrefix("id: ") }
            #expect(events == ["id: 1", "id: 2", "id: 3"])
            // The daemon's own events continue the order.
            try await scene.network.scene.succeed("add", "--paused", "http://example.org/a")
            #expect(await reader.waitForOutput(containing: "id: 4"), "\(reader.output)")
            reader.signal(SIGTERM)
        }

        @Test func `a reader that has an event of another daemon already does not get it again`()
            async throws
        {
            let scene = try await Scene()
            try await scene.write(event: 41, isNotified: false)
            let reader = try ProcessRunner(
                "curl",
                [
                    "-sN", "--noproxy", "*", "\(scene.network.origin)/v1/events", "-H",
                    "Authorization: Bearer \(scene.network.token)", "-H", "Last-Event-ID: 1",
                ]
            )
            #expect(await reader.waitForOutput(containing: ":"), "\(reader.errors)")
            try await scene.write(event: 42)
            await scene.waitForEvent(42, reader)
            #expect(!reader.output.contains("id: 1\n"), "\(reader.output)")
            reader.signal(SIGTERM)
        }

        @Test func `settings and labels of another daemon apply, and its tokens are valid`()
            async throws
        {
            let scene = try await Scene()
            let made = try await scene.network.scene.succeed("daemon", "token", "--scope", "read")
            let token = "Authorization: Bearer \(made.output.prefix { $0 != "\n" })"
            #expect(try await scene.status(token) == 200)
            let reader = try await scene.reader()
            try await scene.write(
                """
                INSERT INTO setting VALUES ('settings', '{"maximumConcurrentDownloads":9}')
                    ON CONFLICT (name) DO UPDATE SET value = excluded.value;
                INSERT INTO label (name, priority) VALUES ('films', 2);
                DELETE FROM token WHERE name = 'read'
                """,
                topics: ["settings", "labels", "tokens"],
                event: 9
            )
            await scene.waitForEvent(9, reader)
            let settings = try await scene.network.ask("GET", "/v1/settings").body
            #expect(settings.contains("\"maximumConcurrentDownloads\":9"), "\(settings)")
            #expect(try await scene.status(token) == 401)
            try await scene.network.scene.succeed(
                "add",
                "--paused",
                "--label",
                "films",
                "http://example.org/a"
            )
            #expect(try await scene.network.scene.downloads().map(\.priority) == [.high])
            // A change of another setting keeps that of the other daemon.
            try await scene.write(
                """
                UPDATE setting SET value = '{"maximumConcurrentDownloads":7}'
                    WHERE name = 'settings'
                """,
                topics: ["settings"],
                event: 7,
                isNotified: false
            )
            let change = #"{"historyDays":3}"#
            let changed = try await scene.network.ask("PATCH", "/v1/settings", change).body
            #expect(changed.contains("\"maximumConcurrentDownloads\":7"), "\(changed)")
            #expect(changed.contains("\"historyDays\":3"), "\(changed)")
            reader.signal(SIGTERM)
        }

        // MARK: - Commands on another node

        private static let resource = Resource(size: 24 << 20)

        /// Returns a download whose run waits for the latch, after the daemon has made its first check
        /// for changes.
        private func held(_ scene: Scene) async throws -> Latch {
            let latch = try await scene.network.scene.addHeld(Self.resource)
            let reader = try await scene.reader()
            try await scene.write(event: 50)
            await scene.waitForEvent(50, reader)
            reader.signal(SIGTERM)
            return latch
        }

        @Test func `a run starts again if a command on another node needs that`() async throws {
            let scene = try await Scene()
            let own = scene.network.scene
            let latch = try await held(scene)
            #expect(own.workshop.origin.requests.count == 1)
            try await scene.write(
                "UPDATE download SET restartOf = epoch",
                topics: ["downloads"],
                event: 51
            )
            let requests = await own.workshop.origin.waitForRequests(2)
            #expect(requests.last?.range != nil)
            latch.release()
            try await own.succeed("wait", "1")
            try expectExact(Workshop.name, Self.resource, in: own.workshop)
        }

        @Test
        func `a run ends, and its partial file is removed, after a cancellation on another node`()
            async throws
        {
            let scene = try await Scene()
            let own = scene.network.scene
            let latch = try await held(scene)
            try await scene.write(
                "UPDATE download SET state = 'cancelled', endedAt = 1",
                topics: ["downloads"],
                event: 52,
                isNotified: false
            )
            try await ScratchFolder.wait(
                untilGone: own.workshop.folder.path(Workshop.name + ".part")
            )
            latch.release()
            #expect(try await own.downloads().map(\.state) == [.cancelled])
            #expect(!own.workshop.folder.exists(Workshop.name))
        }

        @Test func `downloads are added after those of another daemon`() async throws {
            let scene = try await Scene()
            try await scene.network.scene.succeed("add", "--paused", "http://example.org/a")
            try await scene.cluster.run(
                "SELECT setval('pawl.positionLast', 700)",
                in: scene.database
            )
            try await scene.network.scene.succeed("add", "--paused", "http://example.org/b")
            try await scene.network.scene.succeed("add", "--paused", "http://example.org/c")
            try await scene.network.scene.succeed("move", "--first", "3")
            let rows = try await scene.network.scene.downloads()
            #expect(rows.map(\.position) == [1, 701, -1])
        }
    }
}
