import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// The Internet is not reachable behind a router that is.
    @Suite(
        .timeLimit(.minutes(5)),
        .serialized,
        .needsNetworkNamespace
    )
    struct DaemonUplinkTests {
        /// Each may be tried again once, so that a second failure of its own would be the last.
        @Test func `a lost uplink causes no failure, and downloads resume when it is back`()
            async throws
        {
            let network = try await RoutedNetwork()
            let folder = try ScratchFolder()
            let server = try await network.startServer(in: folder)
            try await network.takeUplink()
            let scene = try DaemonScene(Workshop())
            let daemon = try await network.startDaemon(scene)
            for name in ["a", "b"] {
                let url = "http://\(RoutedNetwork.publicHost)/plain?\(name)"
                // The kernel answers for the router once in seconds only.
                try await scene.succeed(
                    "add",
                    "-o",
                    name,
                    "--retries",
                    "1",
                    "--connect-timeout",
                    "1",
                    url
                )
            }
            for failures in 1...3 {
                try await waitForFailures(failures, scene)
                let states = try await scene.downloads().map(\.state)
                #expect(states == [.waiting, .waiting])
                if failures < 3 { try await scene.succeed("resume", "--all") }
            }
            try await network.giveUplinkBack()
            // One download is retried; the other follows because the network is back.
            try await scene.succeed("resume", "1")
            try await scene.succeed("wait", "--all")
            #expect(try await scene.downloads().map(\.state) == [.finished, .finished])
            for process in [daemon, server] {
                process.signal(15)
                await process.waitForExit()
            }
        }

        private func waitForFailures(_ count: Int, _ scene: DaemonScene) async throws {
            try await scene.waitForEvents(.retrying, count: 2 * count)
        }
    }
}
