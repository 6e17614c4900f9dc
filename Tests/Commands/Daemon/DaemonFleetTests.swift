import Glibc
import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// Two daemons that share one queue.
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct DaemonFleetTests {
        private let bucket: ScriptedBucket
        private let large = Resource(size: 30_000_000)

        init() throws { bucket = try ScriptedBucket() }

        /// Two daemons with one database, and one bucket.
        private struct Scene {
            let cluster: PostgresCluster
            let database: String
            let scenes: [DaemonScene]
            var daemons: [ProcessRunner] = []

            init(_ bucket: ScriptedBucket) async throws {
                cluster = try await PostgresCluster.shared()
                database = try await cluster.makeDatabase()
                var scenes: [DaemonScene] = []
                for _ in 1...2 {
                    let scene = try DaemonScene(Workshop(), store: cluster.address(database))
                    try scene.home.makeFolder(".aws")
                    try scene.home.write(
                        ".aws/config",
                        """
                        [default]
                        aws_access_key_id = \(bucket.credentials.keyID)
                        aws_secret_access_key = \(bucket.credentials.secret)
                        endpoint_url = \(bucket.endpoint())

                        """
                    )
                    scenes.append(scene)
                }
                self.scenes = scenes
            }

            /// Starts the next daemon, which runs one download at a time.
            mutating func start() async throws {
                let number = daemons.count
                let runner = try scenes[number].start(
                    "daemon",
                    "run",
                    "--jobs",
                    "1",
                    "--node",
                    "node\(number)"
                )
                #expect(await runner.waitForOutput(containing: "listens at"), "\(runner.errors)")
                daemons.append(runner)
            }

            /// Adds a download that becomes an object.
            func add(_ key: String, from number: Int = 0, by daemon: Int = 0) async throws {
                let run = try await scenes[daemon].succeed(
                    "add",
                    scenes[number].workshop.url,
                    "-o",
                    "s3://photos/\(key)",
                    "-x",
                    "1"
                )
                #expect(run.status == .code(0))
            }

            @discardableResult
            func query(_ sql: String) async throws -> String {
                try await cluster.run("SET search_path TO pawl; \(sql)", in: database)
            }

            /// Returns when a query has this result.
            func wait(for result: String, _ sql: String) async throws {
                while try await query(sql) != result { try Task.checkCancellation() }
            }
        }

        /// The name of the node that has a download.
        private func holder(_ id: Int) -> String {
            """
            SELECT coalesce((SELECT name FROM node WHERE node.id = download.node), 'none')
            FROM download WHERE id = \(id)
            """
        }

        private func finished(_ id: Int) -> String {
            "SELECT count(*) FROM event WHERE kind = 'finished' AND download = \(id)"
        }

        @Test func `two daemons run the downloads of one queue, and one refuses the other's name`()
            async throws
        {
            var scene = try await Scene(bucket)
            try await scene.start()
            let latch = Latch()
            scene.scenes[0].workshop.serve(.resource(large).holdAfterBytes(1 << 20, until: latch))
            try await scene.add("first")
            try await scene.wait(for: "node0\n", holder(1))
            try await scene.add("second")
            #expect(try await scene.query(holder(2)) == "none\n")
            // The second one has a free slot.
            try await scene.start()
            try await scene.wait(for: "node1\n", holder(2))
            let third = try DaemonScene(Workshop(), store: scene.cluster.address(scene.database))
            let refused = try await third.run("daemon", "start", "--node", "node1")
            expectError(.alreadyRunning, refused)
            #expect(refused.errors.contains("under the name 'node1'"), "\(refused.errors)")
            latch.release()
            for id in 1...2 { try await scene.wait(for: "1\n", finished(id)) }
            for key in ["first", "second"] {
                #expect(bucket.object(key)?.bytes == large.bytes())
            }
            #expect(bucket.uploads.isEmpty)
            withExtendedLifetime(scene) {}
        }

        @Test func `the downloads of a daemon that was killed are finished by another`()
            async throws
        {
            var scene = try await Scene(bucket)
            try await scene.start()
            scene.scenes[0].workshop.serve(
                .resource(large).holdAfterBytes(26 << 20, until: Latch())
            )
            try await scene.add("object")
            await bucket.waitUntil { requests in
                requests.count { $0.operation == .uploadPart && $0.status == 200 } >= 3
            }
            try await scene.start()
            scene.daemons[0].signal(SIGKILL)
            #expect(await scene.daemons[0].waitForExit() == .signal(SIGKILL))
            scene.scenes[0].workshop.serve(.resource(large))
            try await scene.wait(for: "1\n", finished(1))
            #expect(bucket.object("object")?.bytes == large.bytes())
            #expect(bucket.uploads.isEmpty)
            let states = try await scene.query("SELECT name, state FROM node ORDER BY id")
            #expect(states == "node0|lost\nnode1|alive\n")
            withExtendedLifetime(scene) {}
        }

        @Test func `a daemon that was stopped for longer than its lease changes nothing later`()
            async throws
        {
            var scene = try await Scene(bucket)
            try await scene.start()
            let latch = Latch()
            scene.scenes[0].workshop.serve(
                .resource(large).holdAfterBytes(18 << 20, until: latch)
            )
            try await scene.add("object")
            await bucket.waitUntil { requests in
                requests.count { $0.operation == .uploadPart && $0.status == 200 } >= 2
            }
            try await scene.start()
            scene.daemons[0].signal(SIGSTOP)
            scene.scenes[0].workshop.serve(.resource(large))
            try await scene.wait(for: "1\n", finished(1))
            let version = try #require(bucket.object("object")).bytes
            let row = "SELECT * FROM download"
            let before = try await scene.query(row)
            // It receives the rest, and continues with its parts.
            latch.release()
            scene.daemons[0].signal(SIGCONT)
            let hasNoticed = await scene.daemons[0].waitForOutput(
                containing: "other nodes have declared this one lost"
            )
            #expect(hasNoticed, "\(scene.daemons[0].errors)")
            try await scene.wait(
                for: "node0|lost\nnode1|alive\nnode0|alive\n",
                "SELECT name, state FROM node ORDER BY id"
            )
            #expect(try await scene.query(row) == before)
            #expect(version == large.bytes())
            #expect(bucket.object("object")?.bytes == large.bytes())
            #expect(try await scene.query(finished(1)) == "1\n")
            withExtendedLifetime(scene) {}
        }

        @Test func `a daemon that ends in order gives its downloads to another at once`()
            async throws
        {
            var scene = try await Scene(bucket)
            try await scene.start()
            try await scene.start()
            scene.scenes[0].workshop.serve(
                .resource(large).holdAfterBytes(1 << 20, until: Latch())
            )
            try await scene.add("object")
            try await scene.wait(for: "running\n", "SELECT state FROM download")
            let name = try await scene.query(holder(1))
            let (first, other) = name == "node0\n" ? (0, "node1\n") : (1, "node0\n")
            scene.daemons[first].signal(SIGTERM)
            #expect(await scene.daemons[first].waitForExit() == .code(0))
            try await scene.wait(for: other, holder(1))
            let states = try await scene.query("SELECT state FROM node ORDER BY id")
            #expect(states == (first == 0 ? "gone\nalive\n" : "alive\ngone\n"))
            withExtendedLifetime(scene) {}
        }

        @Test func `a daemon that learns that it is lost records nothing of its runs`() async throws
        {
            var scene = try await Scene(bucket)
            try await scene.start()
            let latch = Latch()
            scene.scenes[0].workshop.serve(.resource(large).holdAfterBytes(1 << 20, until: latch))
            try await scene.add("object")
            try await scene.wait(for: "node0\n", holder(1))
            try await scene.wait(for: "running\n", "SELECT state FROM download")
            try await scene.start()
            // As if its lease had ended while it was stopped.
            try await scene.query("UPDATE node SET state = 'lost' WHERE name = 'node0'")
            let hasJoined = await scene.daemons[0].waitForOutput(
                containing: "other nodes have declared this one lost"
            )
            #expect(hasJoined, "\(scene.daemons[0].errors)")
            latch.release()
            try await scene.wait(for: "1\n", finished(1))
            try await scene.wait(for: "none\n", holder(1))
            #expect(bucket.object("object")?.bytes == large.bytes())
            #expect(
                try await scene.query("SELECT count(*) FROM event WHERE kind = 'failed'") == "0\n"
            )
            expectSound(try await scene.scenes[1].events())
            withExtendedLifetime(scene) {}
        }

        @Test func `a download into a file stays with the daemon that was asked for it`()
            async throws
        {
            var scene = try await Scene(bucket)
            try await scene.start()
            try await scene.start()
            let workshop = scene.scenes[1].workshop
            workshop.serve(.resource(Resource(size: 300_000)))
            for _ in 1...3 { try await scene.scenes[1].succeed("add", workshop.url) }
            try await scene.wait(
                for: "3\n",
                "SELECT count(*) FROM download WHERE state = 'finished'"
            )
            #expect(try await scene.query("SELECT DISTINCT home FROM download") == "node1\n")
            #expect(workshop.folder.exists(Workshop.name))
            withExtendedLifetime(scene) {}
        }
    }
}
