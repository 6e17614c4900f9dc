import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// A public host that leads to a private one: both are in a network of the test's own.
    @Suite(
        .timeLimit(.minutes(5)),
        .serialized,
        .needsNetworkNamespace
    )
    struct DaemonPrivateHopTests {
        @Test(arguments: [false, true])
        func `a redirect leads to a private address only if that is allowed`(
            isAllowed: Bool
        ) async throws {
            let network = try await RoutedNetwork()
            let folder = try ScratchFolder()
            let server = try await network.startServer(in: folder)
            let scene = try DaemonScene(Workshop())
            let daemon = try await network.startDaemon(scene, "--listen", "127.0.0.1:0")

            let word = isAllowed ? "yes" : "no"
            try await scene.succeed("daemon", "allow", "--private-addresses", word)
            let (open, closed) = (
                "http://\(RoutedNetwork.publicHost)", "http://\(RoutedNetwork.privateHost)"
            )
            let body = """
                {"downloads":[{"url":"\(open)/plain","destination":""},
                {"url":"\(open)/redirect","destination":""},
                {"url":"\(closed)/direct","destination":""},
                {"url":"\(open)/gone","destination":"",
                "settings":{"mirrors":["\(closed)/mirror"]}}]}
                """
            #expect(try await Self.post(body, scene, network.inside) == "201")
            _ = try await scene.run("wait", "--all")

            let downloads = try await scene.downloads().sorted { $0.id < $1.id }
            // The public host itself is within reach.
            let others: TaskState = isAllowed ? .finished : .failed
            #expect(downloads.map(\.state) == [.finished, others, others, others])
            let codes = downloads.map { $0.problem?.code }
            // For a download with mirrors, the error is that of its own URL.
            let expected: [ErrorCode?] = [nil, .notAllowed, .notAllowed, .notFound]
            #expect(codes == (isAllowed ? [nil, nil, nil, nil] : expected))
            #expect(try folder.readText("public.log").contains("/redirect"))
            let asked = try folder.readText("private.log")
            for path in ["/redirected", "/direct", "/mirror"] {
                #expect(asked.contains("GET \(path) ") == isAllowed, "\(path)")
            }
            for process in [daemon, server] {
                process.signal(15)
                await process.waitForExit()
            }
        }

        /// By their ranges all of these are of the public Internet.
        @Test func `a public address of this machine or its network counts as private`()
            async throws
        {
            let network = try await RoutedNetwork()
            let own = ["8.8.4.1", "2600:1::1"]
            let neighbours = ["8.8.4.2", "2600:1::2"]
            for address in own {
                let length = address.contains(":") ? 64 : 24
                try await network.inside.ip(
                    "addr",
                    "add",
                    "\(address)/\(length)",
                    "dev",
                    "next",
                    "nodad"
                )
            }
            for address in neighbours {
                let length = address.contains(":") ? 64 : 24
                try await network.beyond.ip(
                    "addr",
                    "add",
                    "\(address)/\(length)",
                    "dev",
                    "eth0",
                    "nodad"
                )
            }
            // A network that is on the link by a route alone.
            try await network.inside.ip("route", "add", "8.8.5.0/24", "dev", "next")
            try await network.beyond.ip("addr", "add", "8.8.5.2/32", "dev", "eth0")
            let folder = try ScratchFolder()
            let server = try await network.startServer(in: folder)
            let scene = try DaemonScene(Workshop())
            let daemon = try await network.startDaemon(scene, "--listen", "127.0.0.1:0")
            let hosts = (own + neighbours + ["8.8.5.2"]).map { host in
                host.contains(":") ? "[\(host)]" : host
            }
            let all = hosts + [RoutedNetwork.publicHost]
            let downloads = all.map { #"{"url":"http://\#($0)/plain","destination":""}"# }
            let body = #"{"downloads":[\#(downloads.joined(separator: ","))]}"#
            #expect(try await Self.post(body, scene, network.inside) == "201")
            _ = try await scene.run("wait", "--all")
            let rows = try await scene.downloads().sorted { $0.id < $1.id }
            #expect(rows.map(\.state) == hosts.map { _ in .failed } + [.finished])
            let codes = rows.map { $0.problem?.code }
            #expect(codes == hosts.map { _ in .notAllowed } + [nil])
            for process in [daemon, server] {
                process.signal(15)
                await process.waitForExit()
            }
        }

        /// The answer's status.
        private static func post(
            _ body: String,
            _ scene: DaemonScene,
            _ namespace: NetworkNamespace
        ) async throws -> String {
            let status = try await scene.succeed("daemon", "status", "--json")
            let about = try WireJSON.decode(DaemonStatus.self, from: status.output.utf8)
            let token = try await scene.succeed("daemon", "token").output.prefix { $0 != "\n" }
            let run = try await ProcessRunner.run(
                "nsenter",
                namespace.entering([
                    "curl", "-s", "--noproxy", "*", "-o", "/dev/null", "-w", "%{http_code}",
                    "-H", "Authorization: Bearer \(token)", "-H", "Content-Type: application/json",
                    "--data-binary", body, "\(try #require(about.url))/v1/downloads",
                ])
            )
            return run.output
        }
    }
}
