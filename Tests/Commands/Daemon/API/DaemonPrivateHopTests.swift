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
            let namespace = try await NetworkNamespace()
            try await namespace.ip("addr", "add", "\(Self.publicHost)/32", "dev", "lo")
            try await namespace.ip("addr", "add", "10.0.0.1/32", "dev", "lo")
            let folder = try ScratchFolder()
            let server = try await Self.startServer(namespace, folder)
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
                        listen \(publicHost):80;
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
