import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// Two of everything, in the daemon.
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct DaemonTwiceTests {
        private let resources = (1...3).map {
            Resource(size: Int64(11 + $0) << 20, seed: UInt64($0))
        }

        private func name(of row: WireDownload) -> String {
            row.path.flatMap { $0.split(separator: "/").last.map(String.init) } ?? ""
        }

        @Test func `three URLs with one file name are added at the same time`() async throws {
            let scene = try DaemonScene(Workshop())
            let daemon = try await scene.startDaemon()
            let latch = Latch()
            scene.workshop.serveOneName(resources, until: latch)
            let urls = resources.indices.map { scene.workshop.urlOfOneName($0) }
            try await scene.succeed("add", urls[0], urls[1], urls[2], "-x", "1")
            try await scene.workshop.waitForPartialFiles(3)
            latch.release()
            try await scene.succeed("wait", "--all")
            try scene.workshop.expectAll(resources)
            let rows = try await scene.downloads()
            #expect(Set(rows.map { name(of: $0) }) == Set(Workshop.names(3)))
            #expect(rows.allSatisfy { $0.name == name(of: $0) })
            // The row of each names the file with its own bytes.
            for (row, resource) in zip(rows.sorted { $0.id < $1.id }, resources) {
                try expectExact(name(of: row), resource, in: scene.workshop)
            }
            withExtendedLifetime(daemon) {}
        }

        @Test func `a second URL with the same file name is added while the first is paused`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            let daemon = try await scene.startDaemon()
            scene.workshop.serveOneName(resources, until: Latch())
            try await scene.succeed("add", scene.workshop.urlOfOneName(0), "-x", "1")
            try await scene.workshop.waitForPartialFiles(1)
            try await scene.succeed("pause", "1")
            scene.workshop.serveOneName(resources)
            try await scene.succeed("add", scene.workshop.urlOfOneName(1))
            try await scene.succeed("wait", "2")
            try expectExact("disk.1.iso", resources[1], in: scene.workshop)
            let rows = try await scene.downloads()
            #expect(rows.map { name(of: $0) } == ["disk.iso", "disk.1.iso"])
            let before = scene.workshop.origin.requests.count
            try await scene.succeed("resume", "1")
            try await scene.succeed("wait", "1")
            try scene.workshop.expectAll(Array(resources.prefix(2)))
            let again = scene.workshop.origin.requests.dropFirst(before)
            #expect(again.allSatisfy { ($0.range?.first ?? 0) > 0 }, "the first started over")
            withExtendedLifetime(daemon) {}
        }

        @Test func `a numbered file is removed and the other one is kept`() async throws {
            let scene = try DaemonScene(Workshop())
            let daemon = try await scene.startDaemon()
            scene.workshop.serveOneName(resources, until: Latch())
            let urls = [scene.workshop.urlOfOneName(0), scene.workshop.urlOfOneName(1)]
            try await scene.succeed("add", urls[0], "-x", "1")
            try await scene.workshop.waitForPartialFiles(1)
            try await scene.succeed("add", urls[1], "-x", "1", "--if-exists", "overwrite")
            try await scene.workshop.waitForPartialFiles(2)
            try await scene.succeed("pause", "--all")
            try await scene.succeed("remove", "--with-files", "2")
            #expect(scene.workshop.folder.list() == ["disk.iso.part", "disk.iso.part.pawl"])
            withExtendedLifetime(daemon) {}
        }
    }
}
