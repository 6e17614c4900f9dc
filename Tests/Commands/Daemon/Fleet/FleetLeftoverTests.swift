import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// `pawl fleet leftovers`.
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct FleetLeftoverTests {
        private let bucket: ScriptedBucket

        init() throws { bucket = try ScriptedBucket() }

        private func scene() throws -> DaemonScene {
            let scene = try DaemonScene(Workshop())
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
            return scene
        }

        @Test func `uploads of the queue and of others are listed, and none is aborted`()
            async throws
        {
            let scene = try scene()
            let daemon = try await scene.startDaemon()
            let resource = Resource(size: 30_000_000)
            scene.workshop.serve(.resource(resource).holdAfterBytes(26 << 20, until: Latch()))
            try await scene.succeed("add", scene.workshop.url, "-o", "s3://photos/in/", "-x", "1")
            await bucket.waitUntil { requests in
                requests.count { $0.operation == .uploadPart && $0.status == 200 } >= 3
            }
            // The download runs.
            let none = try await scene.succeed("fleet", "leftovers").output
            #expect(none == "No uploads are left.\n")
            try await scene.succeed("pause", "1")
            let own = try await scene.succeed("fleet", "leftovers").output.split(separator: "\n")
            #expect(own.count == 2, "\(own)")
            let cells = own.last?.split(separator: " ", omittingEmptySubsequences: true) ?? []
            #expect(cells.prefix(2) == ["1", "paused"])
            #expect(cells.last == "s3://photos/in/disk.iso")
            let json = try await scene.succeed("fleet", "leftovers", "--json").output
            let tree = try WireJSON.decode(JSONValue.self, from: json.utf8)
            let upload = tree["uploads"]?.values.first
            #expect(upload?["upload"]?.string == bucket.uploads.first?.id)
            #expect(tree["buckets"]?.values.first?["uploads"]?.values.isEmpty == true)

            // To another queue, the upload is foreign.
            let other = try self.scene()
            let otherDaemon = try await other.startDaemon()
            let unknown = try await other.succeed("fleet", "leftovers").output
            #expect(unknown == "No uploads are left.\n")
            for folder in ["s3://photos", "s3://photos/in/"] {
                let found = try await other.succeed("fleet", "leftovers", folder).output
                #expect(found.contains("of no download in the queue:\nBEGUN"), "\(found)")
                #expect(found.contains("  s3://photos/in/disk.iso\n"), "\(found)")
            }
            let elsewhere = try await other.succeed("fleet", "leftovers", "s3://photos/out/")
            #expect(elsewhere.output == "No uploads are left.\n")
            #expect(bucket.uploads.count == 1)
            withExtendedLifetime((daemon, otherDaemon)) {}
        }

        @Test func `a bucket that cannot be read is an error, and the rest is shown`() async throws
        {
            let scene = try scene()
            let daemon = try await scene.startDaemon()
            expectFailure(.usage, try await scene.run("fleet", "leftovers", "photos"))
            expectFailure(.usage, try await scene.run("fleet", "leftovers", "s3://photos/a?b=c"))
            let run = try await scene.run("fleet", "leftovers", "s3://nothing")
            expectError(.notFound, run)
            #expect(run.output == "No uploads are left.\n")
            withExtendedLifetime(daemon) {}
        }
    }
}
