import PawlTesting
import Testing

/// A network with a daemon's machine and a router beyond which the servers are, all of a test's
/// own.
struct RoutedNetwork {
    /// The network namespace of the daemon.
    let inside: NetworkNamespace
    /// The router, which has the servers' addresses.
    let beyond: NetworkNamespace

    static let publicHost = "93.184.216.34"
    static let privateHost = "10.0.0.1:81"

    init() async throws {
        inside = try await NetworkNamespace()
        let (router, gateway) = ("10.9.0.1", "10.9.0.2")
        beyond = try await NetworkNamespace(behind: inside, outside: router, inside: gateway)
        for address in [Self.publicHost, "10.0.0.1"] {
            try await beyond.ip("addr", "add", "\(address)/32", "dev", "lo")
            try await inside.ip("route", "add", address, "via", gateway)
        }
    }

    /// Removes the route from the router to the public host; the router reports that the host is
    /// unreachable.
    func takeUplink() async throws {
        try await beyond.ip("addr", "del", "\(Self.publicHost)/32", "dev", "lo")
        try await beyond.ip("route", "add", "unreachable", Self.publicHost)
        let run = try await ProcessRunner.run(
            "nsenter",
            beyond.entering(["sh", "-c", "echo 1 >/proc/sys/net/ipv4/ip_forward"])
        )
        #expect(run.status == .code(0), "\(run.errors)")
    }

    func giveUplinkBack() async throws {
        try await beyond.ip("route", "del", "unreachable", Self.publicHost)
        try await beyond.ip("addr", "add", "\(Self.publicHost)/32", "dev", "lo")
    }

    func startDaemon(_ scene: DaemonScene, _ options: String...) async throws -> ProcessRunner {
        let daemon = try ProcessRunner(
            "nsenter",
            inside.entering([Workshop.program, "daemon", "run"] + options),
            scene.workshop.complete(scene.settings)
        )
        #expect(await daemon.waitForOutput(containing: "listens at"), "\(daemon.errors)")
        return daemon
    }

    func startServer(in folder: ScratchFolder) async throws -> ProcessRunner {
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
                    location /redirect { return 302 http://\(Self.privateHost)/redirected; }
                    location / { return 404; }
                }
                server {
                    listen \(Self.privateHost);
                    access_log \(folder.path)/private.log;
                    return 200 "a secret";
                }
            }

            """
        let path = try folder.write("nginx.conf", Array(settings.utf8))
        let server = try ProcessRunner(
            "nsenter",
            beyond.entering(["nginx", "-e", "stderr", "-c", path])
        )
        #expect(
            await server.waitForOutput(containing: "start worker process "),
            "\(server.errors)"
        )
        return server
    }
}
