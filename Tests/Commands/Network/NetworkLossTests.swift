import PawlCore
import PawlTesting
import Testing

extension HeavyTests {
    /// `pawl` in a network namespace, whose link to the origin is taken away and given back.
    @Suite(
        .timeLimit(.minutes(5)),
        .serialized,
        .needsNetworkNamespace
    )
    struct NetworkLossTests {
        private static let resource = Resource(size: 12 << 20, seed: 3)

        /// A namespace, an origin that it can reach, and a folder.
        private struct Site {
            let namespace: NetworkNamespace
            let origin: ScriptedOrigin
            let folder: ScratchFolder

            /// The latch holds the rest of the first response.
            init(latch: Latch? = nil) async throws {
                namespace = try await NetworkNamespace()
                origin = try ScriptedOrigin(onAllAddresses: true)
                folder = try ScratchFolder()
                let link = SharedLink(bytesPerSecond: 8 << 20)
                let reply = Reply.resource(resource).through(link)
                let first = latch.map { reply.holdAfterBytes(4 << 20, until: $0) } ?? reply
                origin.route(Workshop.path, first.from(request: 2, reply))
            }

            /// Tolerates no failure.
            func start(_ options: String...) throws -> ProcessRunner {
                let url = origin.url(Workshop.path, host: namespace.outsideAddress)
                let arguments = [Workshop.program, url, "--retries", "0", "-x", "1"]
                let workshop = try Workshop()
                return try ProcessRunner(
                    "nsenter",
                    namespace.entering(arguments + options),
                    workshop.complete(ProcessSettings(folder: folder.path))
                )
            }

            func expectFile(_ runner: ProcessRunner) async throws {
                #expect(await runner.waitForExit() == .code(0), "\(runner.errors)")
                #expect(folder.list() == [Workshop.name])
                #expect(try resource.verify(fileAt: folder.path(Workshop.name)) == nil)
            }
        }

        /// How the way to the origin is taken and given back.
        enum Outage: String, CaseIterable, Sendable {
            case linkDown, carrierLost, routeGone
        }

        private func take(_ outage: Outage, _ namespace: NetworkNamespace) async throws {
            switch outage {
            case .linkDown: try await namespace.ip("link", "set", "eth0", "down")
            case .carrierLost: try await namespace.setOutside("down")
            case .routeGone: try await namespace.ip("route", "flush", "dev", "eth0")
            }
        }

        private func restore(_ outage: Outage, _ namespace: NetworkNamespace) async throws {
            switch outage {
            case .linkDown: try await namespace.ip("link", "set", "eth0", "up")
            case .carrierLost: try await namespace.setOutside("up")
            case .routeGone:
                let address = namespace.outsideAddress
                try await namespace.ip("route", "add", address, "dev", "eth0")
            }
        }

        @Test(arguments: Outage.allCases)
        func `a download waits while the network is lost and resumes when it is back`(
            outage: Outage
        ) async throws {
            let latch = Latch()
            let site = try await Site(latch: latch)
            let runner = try site.start("--wait-for-network")
            await site.origin.waitForBytes(3 << 20)
            try await take(outage, site.namespace)
            #expect(await runner.waitForOutput(containing: "no network"), "\(runner.errors)")
            latch.release()
            #expect(site.origin.requests.count == 1)
            try await restore(outage, site.namespace)
            try await site.expectFile(runner)
            let second = try #require(site.origin.requests.dropFirst().first)
            let range = try #require(second.range?.resolve(size: Self.resource.size))
            #expect(range.start > 0)
        }

        @Test func `a download that starts without a network waits for it`() async throws {
            let site = try await Site()
            try await site.namespace.ip("link", "set", "eth0", "down")
            let runner = try site.start("--wait-for-network")
            #expect(await runner.waitForOutput(containing: "no network"), "\(runner.errors)")
            try await site.namespace.ip("link", "set", "eth0", "up")
            try await site.expectFile(runner)
        }

        /// More changes than the kernel reports: it drops notifications.
        @Test func `many changes of other routes hide no change`() async throws {
            let site = try await Site()
            try await site.namespace.ip("link", "set", "eth0", "down")
            let runner = try site.start("--wait-for-network")
            #expect(await runner.waitForOutput(containing: "no network"), "\(runner.errors)")
            let lines = (0..<20_000).map { "route add blackhole 10.1.\($0 >> 8).\($0 & 255)" }
            let flood = try ScratchFolder()
            let batch = lines + ["link set eth0 up"]
            try await site.namespace.ip(
                "-batch",
                try flood.write("batch", batch.joined(separator: "\n") + "\n")
            )
            try await site.expectFile(runner)
        }

        @Test func `without the option it fails immediately`() async throws {
            let site = try await Site()
            try await site.namespace.ip("link", "set", "eth0", "down")
            let runner = try site.start()
            #expect(await runner.waitForExit() == .code(ErrorCode.network.exitStatus))
            #expect(!runner.errors.contains("no network"))
        }

        @Test func `waiting ends after the maximum time and on Ctrl-C`() async throws {
            let site = try await Site()
            try await site.namespace.ip("link", "set", "eth0", "down")
            let late = try site.start("--wait-for-network", "--max-time", "1")
            #expect(await late.waitForExit() == .code(ErrorCode.timedOut.exitStatus))
            let stopped = try site.start("--wait-for-network")
            await stopped.waitForOutput(containing: "no network")
            stopped.signal(2)
            #expect(await stopped.waitForExit() == .code(ErrorCode.interrupted.exitStatus))
        }
    }
}
