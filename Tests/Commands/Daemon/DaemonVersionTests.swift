import Dispatch
import Glibc
import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// Programs and daemons of different versions.
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct DaemonVersionTests {
        /// A socket that answers each request with the same text, as a daemon of another version
        /// would.
        private final class OtherDaemon: Sendable {
            private let listener: Int32

            init(_ scene: DaemonScene, _ status: String, _ body: String, fields: String = "") throws
            {
                let folder = try scene.home.makeFolder("run/pawl")
                #expect(chmod(folder, 0o700) == 0)
                let text =
                    "HTTP/1.1 \(status)\r\nContent-Type: application/json\r\n\(fields)"
                    + "Content-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
                let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
                self.listener = listener
                var address = sockaddr_un()
                address.sun_family = sa_family_t(AF_UNIX)
                let path = Array("\(folder)/daemon.sock".utf8)
                withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
                let isBound = withUnsafePointer(to: &address) { pointer in
                    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
                    }
                }
                #expect(isBound)
                #expect(Glibc.listen(listener, 8) == 0)
                DispatchQueue(label: "other-daemon").async {
                    while true {
                        let client = accept(listener, nil, nil)
                        guard client >= 0 else { return }
                        var bytes = [UInt8](repeating: 0, count: 1 << 16)
                        _ = recv(client, &bytes, bytes.count, 0)
                        _ = send(client, text, text.utf8.count, Int32(MSG_NOSIGNAL))
                        close(client)
                    }
                }
            }

            deinit {
                shutdown(listener, Int32(SHUT_RDWR))
                close(listener)
            }
        }

        private static let usage =
            #"{"type":"urn:pawl:usage","title":"the body: 'news' is not known","code":"usage","retry":"never"}"#

        @Test func `an older daemon that does not support a request is reported`() async throws {
            let scene = try DaemonScene(Workshop())
            let daemon = try OtherDaemon(scene, "400 Bad Request", Self.usage)
            let run = try await scene.run("list")
            #expect(run.status == .code(ErrorCode.daemonVersion.exitStatus), "\(run.errors)")
            #expect(run.errors.contains("'news' is not known"))
            #expect(run.errors.contains("pawl daemon restart"))
            withExtendedLifetime(daemon) {}
        }

        @Test func `a conflict of an older daemon is a conflict`() async throws {
            let scene = try DaemonScene(Workshop())
            let daemon = try OtherDaemon(scene, "409 Conflict", Self.usage)
            let run = try await scene.run("pause", "1")
            #expect(run.status == .code(ErrorCode.conflict.exitStatus), "\(run.errors)")
            withExtendedLifetime(daemon) {}
        }

        @Test func `unknown members of a newer daemon's response do not break a list`() async throws
        {
            let scene = try DaemonScene(Workshop())
            let row =
                #"{"id":1,"state":"archiving","name":"a","url":"http://h/a","destination":"/","#
                + #""completedBytes":0,"priority":"urgent","position":1,"#
                + #""createdAt":"2026-11-22T22:00:00Z","problem":{"type":"t","title":"t","#
                + #""code":"odd","retry":"tomorrow"}}"#
            let daemon = try OtherDaemon(
                scene,
                "200 OK",
                #"{"downloads":[\#(row)]}"#,
                fields: "Pawl-Protocol: 99\r\n"
            )
            let run = try await scene.run("list", "--all", "--json")
            #expect(run.status == .code(0), "\(run.errors)")
            #expect(run.output.contains(#""waiting""#))
            #expect(run.errors.isEmpty)
            withExtendedLifetime(daemon) {}
        }

        @Test func `a restarted daemon keeps its options, and running downloads resume`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            let resource = Resource(size: 12 << 20)
            scene.serveHeld(resource)
            try await scene.succeed("daemon", "start", "--jobs", "3")
            let before = try await status(scene)
            #expect(before.protocolVersion == ProtocolVersion.current)
            try await scene.succeed("add", scene.workshop.url, "-x", "1")
            try await FolderWatch.wait(for: Workshop.name + ".part.pawl", in: scene.workshop.folder)
            scene.workshop.serve(.resource(resource))
            let run = try await scene.succeed("daemon", "restart")
            #expect(run.errors.contains("(was process \(before.processIdentifier))"))
            let after = try await status(scene)
            #expect(after.processIdentifier != before.processIdentifier)
            #expect(after.maximumConcurrentDownloads == 3)
            try await scene.succeed("wait", "1")
            try expectExact(Workshop.name, resource, in: scene.workshop)
            let later = scene.workshop.origin.requests.dropFirst()
            #expect(later.allSatisfy { $0.range != nil }, "it started over")
            try await scene.succeed("daemon", "stop")
        }

        private func status(_ scene: DaemonScene) async throws -> DaemonStatus {
            let run = try await scene.succeed("daemon", "status", "--json")
            return try WireJSON.decode(DaemonStatus.self, from: run.output.utf8)
        }
    }
}
