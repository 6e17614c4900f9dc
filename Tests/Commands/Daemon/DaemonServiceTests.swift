import Glibc
import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// The daemon as systemd runs it.
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct DaemonServiceTests {
        private func listen(_ scene: DaemonScene, _ program: [String]? = nil) async throws
            -> ProcessRunner
        {
            let socket = scene.home.path("run/pawl/daemon.sock")
            try scene.home.makeFolder("run/pawl")
            chmod(scene.home.path("run/pawl"), 0o700)
            let words = program ?? [Workshop.program, "daemon", "run"]
            let activator = try ProcessRunner(
                BuiltProduct.path("SocketActivator"),
                [socket] + words,
                scene.workshop.complete(scene.settings)
            )
            #expect(await activator.waitForOutput(containing: "listening"))
            return activator
        }

        private func started(_ activator: ProcessRunner) -> Int {
            activator.output.split(separator: "\n").count { $0.hasPrefix("started") }
        }

        @Test func `the daemon listens at a socket that it receives and keeps it`() async throws {
            let resource = Resource(size: 200_000)
            let scene = try DaemonScene(Workshop(resource))
            let activator = try await listen(scene)
            // The status does not start the daemon, nor does stopping it.
            expectFailure(.daemonUnavailable, try await scene.run("daemon", "status"))
            expectFailure(.daemonUnavailable, try await scene.run("daemon", "stop"))
            #expect(started(activator) == 0)
            try await scene.succeed("add", scene.workshop.url)
            #expect(started(activator) == 1)
            let socket = scene.home.path("run/pawl/daemon.sock")
            #expect(activator.errors.contains("listens at \(socket)"))
            #expect(mode(socket) == 0o600)
            try await scene.succeed("wait", "1")
            try expectExact(Workshop.name, resource, in: scene.workshop)
            try await scene.succeed("daemon", "stop")
            // Of the activator itself: the daemon has words of its own.
            #expect(await activator.waitForOutput(containing: "\nended "))
            #expect(activator.output.contains(": 0\n"), "\(activator.output)")
            #expect(try await scene.downloads().map(\.state) == [.finished])
            #expect(started(activator) == 2)
            let again = try await scene.succeed("daemon", "start")
            #expect(again.errors.contains("is already running"))
        }

        /// Another user could have created the socket.
        @Test(arguments: [
            ["add", "--paused", "http://user:secret@example.org/a"], ["list"], ["daemon", "start"],
        ])
        func `nothing is sent to a socket in a folder that others can access`(
            arguments: [String]
        ) async throws {
            let scene = try DaemonScene(Workshop())
            let activator = try await listen(scene, ["true"])
            chmod(scene.home.path("run/pawl"), 0o777)
            let run = try await scene.workshop.run(arguments, scene.settings)
            expectFailure(.directoryNotUsable, run)
            #expect(run.errors.contains("other users can access"))
            #expect(started(activator) == 0)
        }

        @Test func `options for a daemon that systemd starts are applied or reported`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            let activator = try await listen(scene)
            func url() async throws -> String? {
                let run = try await scene.succeed("daemon", "status", "--json")
                return try WireJSON.decode(DaemonStatus.self, from: run.output.utf8).url
            }
            let options = ["--listen", "127.0.0.1:0", "--jobs", "7"]
            for verb in ["start", "restart"] {
                let run = try await scene.workshop.run(["daemon", verb] + options, scene.settings)
                #expect(run.status == .code(0), "\(run.errors)")
                #expect(run.errors.contains("'--jobs 7' has no effect"), "\(run.errors)")
                #expect(try await url() != nil, "\(verb)")
                try await scene.succeed("daemon", "restart", "--listen", "off")
                #expect(try await url() == nil, "\(verb)")
            }
            #expect(started(activator) == 4)
        }

        @Test func `a request during a kill is answered by the next daemon`() async throws {
            let scene = try DaemonScene(Workshop())
            let activator = try await listen(scene)
            try await scene.succeed("add", "--paused", scene.workshop.url)
            let process = try #require(
                pid_t(try scene.home.readText("run/pawl/daemon.lock").prefix { $0.isNumber })
            )
            kill(process, SIGSTOP)
            let asking = try scene.start("list", "--json")
            kill(process, SIGKILL)
            kill(process, SIGCONT)
            // Its connection is the dead one's or still in line; in both cases there is an answer.
            let status = await asking.waitForExit()
            #expect(
                status == .code(0) || status == .code(ErrorCode.daemonUnavailable.exitStatus)
            )
            #expect(try await scene.downloads().map(\.state) == [.paused])
            #expect(started(activator) == 2)
        }

        @Test func `a daemon started by hand does not replace that of systemd`() async throws {
            let scene = try DaemonScene(Workshop())
            let activator = try await listen(scene)
            let byHand = try await scene.run("daemon", "run")
            expectFailure(.alreadyRunning, byHand)
            #expect(byHand.errors.contains("another program listens"))
            #expect(started(activator) == 0)
            #expect(try await scene.downloads().isEmpty)
            #expect(started(activator) == 1)
        }

        @Test(arguments: [
            "LISTEN_FDS=2 exec \"$0\"", "LISTEN_FDS=x exec \"$0\"",
            "LISTEN_FDS=1 exec \"$0\" 3</dev/null", "LISTEN_FDS=1 exec \"$0\" 3>&-",
        ])
        func `a descriptor that is not a listening Unix socket is refused`(script: String)
            async throws
        {
            let scene = try DaemonScene(Workshop())
            let run = try await ProcessRunner.run(
                "sh",
                ["-c", "export LISTEN_PID=$$; \(script)", BuiltProduct.path("pawld")],
                scene.workshop.complete(scene.settings)
            )
            expectFailure(.usage, run)
            #expect(scene.home.list() == ["run"])
        }

        @Test func `a socket of another process is not taken`() async throws {
            let scene = try DaemonScene(Workshop())
            var settings = scene.workshop.complete(scene.settings)
            settings.environment["LISTEN_PID"] = "1"
            settings.environment["LISTEN_FDS"] = "1"
            let daemon = try ProcessRunner(BuiltProduct.path("pawld"), [], settings)
            #expect(await daemon.waitForOutput(containing: "listens at"))
            #expect(try await scene.downloads().isEmpty)
        }

        @Test(arguments: ["", "@pawl-test-notify-"])
        func `the service manager is notified when the daemon is ready and when it stops`(
            name: String
        )
            async throws
        {
            let scene = try DaemonScene(Workshop())
            let path = name.isEmpty ? scene.home.path("notify") : "\(name)\(getpid())"
            let manager = try NotifySocket(path)
            var settings = scene.workshop.complete(scene.settings)
            settings.environment["NOTIFY_SOCKET"] = path
            let daemon = try ProcessRunner(BuiltProduct.path("pawld"), [], settings)
            #expect(manager.next() == "READY=1")
            #expect(try await scene.downloads().isEmpty)
            daemon.signal(SIGTERM)
            #expect(await daemon.waitForExit() == .code(0))
            #expect(manager.next() == "STOPPING=1")
        }

        private func mode(_ path: String) -> mode_t? {
            var status = stat()
            return lstat(path, &status) == 0 ? status.st_mode & 0o777 : nil
        }
    }
}

/// The socket at which a service manager receives states (sd_notify(3)).
private final class NotifySocket: Sendable {
    private let descriptor: Int32

    struct Unavailable: Error {}

    init(_ path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(path.utf8)
        if bytes.first == UInt8(ascii: "@") { bytes[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0
            }
        }
        guard isBound else { throw Unavailable() }
    }

    deinit { close(descriptor) }

    /// Waits for the next message; `nil` if none arrives.
    func next() -> String? {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }
}
