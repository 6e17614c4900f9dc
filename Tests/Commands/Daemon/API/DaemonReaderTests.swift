import FoundationEssentials
import Glibc
import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// Readers of events over TCP.
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct DaemonReaderTests {
        private func readers(_ network: NetworkScene) async throws -> Int {
            let answer = try await network.ask("GET", "/v1/statistics")
            return try WireJSON.decode(WireStatistics.self, from: answer.body.utf8).eventReaders
        }

        private func memory(_ network: NetworkScene) throws -> Int {
            let text = try String(
                contentsOfFile: "/proc/\(network.daemonProcess)/status",
                encoding: .utf8
            )
            let line = text.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
            return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
        }

        /// The last part of what a reader has received so far.
        private func tail(_ path: String) throws -> String {
            guard let file = fopen(path, "r") else { return "" }
            defer { fclose(file) }
            if fseek(file, -1000, SEEK_END) != 0 { rewind(file) }
            var bytes = [UInt8](repeating: 0, count: 1000)
            let count = fread(&bytes, 1, bytes.count, file)
            return String(decoding: bytes[..<count], as: UTF8.self)
        }

        @Test func `progress events are sent at most four times per second`() async throws {
            let scene = try DaemonScene(Workshop())
            scene.workshop.serve(.resource(Resource(size: 64 << 20)).rate(1 << 20))
            let daemon = try await scene.startDaemon()
            for name in ["a", "b", "c"] {
                let folder = scene.workshop.folder.path(name)
                try await scene.succeed("add", scene.workshop.url, "-x", "1", "-o", folder)
            }
            await scene.workshop.origin.waitForRequests(3)
            let run = try await ProcessRunner.run(
                "curl",
                [
                    "-sN", "--max-time", "4", "--unix-socket",
                    scene.home.path("run/pawl/daemon.sock"), "http://localhost/v1/events",
                ]
            )
            let lines = run.output.split(separator: "\n", omittingEmptySubsequences: false)
            let told = lines.indices.filter { lines[$0] == "event: \(WireProgress.eventName)" }
            // One more, depending on when the first second starts.
            #expect((2...17).contains(told.count), "\(told.count)")
            let rows = try told.map { index in
                let data = lines[index + 1].dropFirst("data: ".count)
                return try WireJSON.decode(WireProgress.self, from: data.utf8).downloads.map(\.id)
            }
            #expect(rows.last == [1, 2, 3])
            withExtendedLifetime(daemon) {}
        }

        @Test func `a client that does not read is disconnected, and others are not affected`()
            async throws
        {
            let network = try await NetworkScene.make("--client-timeout", "5")
            // More than the system buffers for a client that does not read.
            let name = String(repeating: "n", count: 200)
            let rows = (0..<5000).map { number in
                #"{"url":"http://example.org/\#(name)\#(number)","destination":"/nowhere/","isPaused":true}"#
            }
            let path = try network.scene.home.write(
                "many.json",
                "{\"downloads\":[\(rows.joined(separator: ","))]}"
            )
            let added = try await ProcessRunner.run(
                "curl",
                [
                    "-s", "-o", "/dev/null", "-w", "%{http_code}", "--unix-socket",
                    network.scene.home.path("run/pawl/daemon.sock"),
                    "http://localhost/v1/downloads",
                    "-H", "Content-Type: application/json", "--data-binary", "@\(path)",
                ]
            )
            #expect(added.output == "201")
            let head =
                "GET /v1/events HTTP/1.1\\r\\nHost: 127.0.0.1:\(network.port)\\r\\n"
                + "Authorization: Bearer \(network.token)\\r\\nLast-Event-ID: 0\\r\\n\\r\\n"
            let before = try memory(network)
            let deaf = try (0..<10).map { _ in
                try network.connect(sending: head, then: "exec sleep 1000")
            }
            let told = network.scene.home.path("events.txt")
            let reader = try ProcessRunner(
                "curl",
                [
                    "-sN", "--noproxy", "*", "-o", told, "\(network.origin)/v1/events", "-H",
                    "Last-Event-ID: 0", "-H", "Authorization: Bearer \(network.token)",
                ]
            )
            // Only the good client remains; each check takes a while, so there is no race.
            var left = 0
            for _ in 0..<2000 {
                left = try await readers(network)
                if left == 1, try tail(told).contains("id: 5000\n") { break }
            }
            #expect(left == 1)
            #expect(try tail(told).contains("id: 5000\n"))
            // One page and the buffers of each client, not the unread events.
            #expect(try memory(network) - before < 60_000)
            try await network.scene.succeed("remove", "1")
            for _ in 0..<2000 {
                if try tail(told).contains("event: removed\n") { break }
                _ = try await readers(network)
            }
            #expect(try tail(told).contains("id: 5001\nevent: removed\n"))
            let ids = try network.scene.home.readText("events.txt").split(separator: "\n")
                .filter { $0.hasPrefix("id: ") }
            #expect(ids == (1...5001).map { "id: \($0)" })
            withExtendedLifetime(reader) {}
            withExtendedLifetime(deaf) {}
        }
    }
}
