import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// A public host that leads to a private one: both are in a network of the test's own.
    @Suite(
        .timeLimit(.minutes(2)),
        .serialized,
        .enabled(
            if: NetworkNamespace.isAvailable,
            "needs root, ip, unshare, nsenter and veth links"
        )
    )
    struct DaemonPrivateHopTests {
        private static let publicHost = "93.184.216.34"
        private static let privateHost = "10.0.0.1:81"

        @Test(arguments: [false, true])
        func `a hop leads to a private address only where that is allowed`(
            isAllowed: Bool
        ) async throws {
            let (namespace, beyond) = try await Self.makeNetworks()
            let folder = try ScratchFolder()
            let server = try await Self.startServer(beyond, folder)
            let scene = try DaemonScene(Workshop())
            let daemon = try ProcessRunner(
                "nsenter",
                namespace.entering([Workshop.program, "daemon", "run", "--listen", "127.0.0.1:0"]),
                scene.workshop.complete(scene.settings)
            )
            #expect(await daemon.waitForOutput(containing: "answers at"), "\(daemon.errors)")

            let word = isAllowed ? "yes" : "no"
            try await scene.succeed("daemon", "allow", "--private-addresses", word)
            let (open, closed) = ("http://\(Self.publicHost)", "http://\(Self.privateHost)")
            let body = """
                {"downloads":[{"url":"\(open)/plain","destination":""},
                {"url":"\(open)/redirect","destination":""},
                {"url":"\(closed)/direct","destination":""},
                {"url":"\(open)/gone","destination":"",
                "settings":{"mirrors":["\(closed)/mirror"]}}]}
                """
            #expect(try await Self.post(body, scene, namespace) == "201")
            _ = try await scene.run("wait", "--all")

            let downloads = try await scene.downloads().sorted { $0.id < $1.id }
            // The public host itself is within reach.
            let others: TaskState = isAllowed ? .finished : .failed
            #expect(downloads.map(\.state) == [.finished, others, others, others])
            let codes = downloads.map { $0.problem?.code }
            // Of one with mirrors it is told why its own address failed.
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

        /// That of the daemon, and one behind a router's address that has the hosts.
        private static func makeNetworks() async throws -> (NetworkNamespace, NetworkNamespace) {
            let namespace = try await NetworkNamespace()
            let (router, gateway) = ("10.9.0.1", "10.9.0.2")
            let beyond = try await NetworkNamespace(
                behind: namespace,
                outside: router,
                inside: gateway
            )
            for address in [publicHost, "10.0.0.1"] {
                try await beyond.ip("addr", "add", "\(address)/32", "dev", "lo")
                try await namespace.ip("route", "add", address, "via", gateway)
            }
            return (namespace, beyond)
        }

        /// By their ranges all of these are of the public Internet.
        @Test func `a public address of this machine or its network is none of the Internet`()
            async throws
        {
            let (namespace, beyond) = try await Self.makeNetworks()
            let own = ["8.8.4.1", "2600:1::1"]
            let neighbours = ["8.8.4.2", "2600:1::2"]
            for address in own {
                let length = address.contains(":") ? 64 : 24
                try await namespace.ip(
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
                try await beyond.ip("addr", "add", "\(address)/\(length)", "dev", "eth0", "nodad")
            }
            // A network that is on the link by a route alone.
            try await namespace.ip("route", "add", "8.8.5.0/24", "dev", "next")
            try await beyond.ip("addr", "add", "8.8.5.2/32", "dev", "eth0")
            let folder = try ScratchFolder()
            let server = try await Self.startServer(beyond, folder)
            let scene = try DaemonScene(Workshop())
            let daemon = try ProcessRunner(
                "nsenter",
                namespace.entering([Workshop.program, "daemon", "run", "--listen", "127.0.0.1:0"]),
                scene.workshop.complete(scene.settings)
            )
            #expect(await daemon.waitForOutput(containing: "answers at"), "\(daemon.errors)")
            let hosts = (own + neighbours + ["8.8.5.2"]).map { host in
                host.contains(":") ? "[\(host)]" : host
            }
            let all = hosts + [Self.publicHost]
            let downloads = all.map { #"{"url":"http://\#($0)/plain","destination":""}"# }
            let body = #"{"downloads":[\#(downloads.joined(separator: ","))]}"#
            #expect(try await Self.post(body, scene, namespace) == "201")
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

        private static func startServer(
            _ namespace: NetworkNamespace,
            _ folder: ScratchFolder
        ) async throws -> ProcessRunner {
            let settings = """
                daemon off;
                user root;
                worker_processes 1;
                pid \(folder.path)/nginx.pid;
                error_log stderr notice;
                events { worker_connections 64; }
                http {
                    server {
                        listen 80;
                        listen [::]:80;
                        access_log \(folder.path)/public.log;
                        location /plain { return 200 "a file"; }
                        location /redirect { return 302 http://\(privateHost)/redirected; }
                        location / { return 404; }
                    }
                    server {
                        listen \(privateHost);
                        access_log \(folder.path)/private.log;
                        return 200 "a secret";
                    }
                }

                """
            let path = try folder.write("nginx.conf", Array(settings.utf8))
            let server = try ProcessRunner(
                "nsenter",
                namespace.entering(["nginx", "-e", "stderr", "-c", path])
            )
            #expect(
                await server.waitForOutput(containing: "start worker process "),
                "\(server.errors)"
            )
            return server
        }
    }
}
