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
            scene.workshop.serve(.resource(Resource(size: 64 << 20)).rate(1 << 17))
            let daemon = try await scene.startDaemon()
            for name in ["a", "b", "c"] {
                let folder = scene.workshop.folder.path(name)
                try await scene.succeed("add", scene.workshop.url, "-x", "1", "-o", folder)
            }
            await scene.workshop.origin.waitForRequests(3)
            let watch = Stopwatch()
            let reader = try ProcessRunner(
                "curl",
                [
                    "-sN", "--unix-socket", scene.home.path("run/pawl/daemon.sock"),
                    "http://localhost/v1/events",
                ]
            )
            let count = 13
            let event = "event: \(WireProgress.eventName)"
            #expect(await reader.waitForOutput(containing: event + "\n", count: count))
            // One more, depending on when the first second starts.
            #expect(watch.elapsed > .seconds(Double(count - 2) / 4))
            let lines = reader.output.split(separator: "\n", omittingEmptySubsequences: false)
            let told = lines.indices.filter { lines[$0] == event }
            // The last one may not be complete yet.
            let rows = try told.prefix(count - 1).map { index in
                let data = lines[index + 1].dropFirst("data: ".count)
                return try WireJSON.decode(WireProgress.self, from: data.utf8).downloads.map(\.id)
            }
            #expect(rows.contains([1, 2, 3]))
            withExtendedLifetime(daemon) {}
        }

        @Test func `a client that does not read is disconnected, and others are not affected`()
            async throws
        {
            let network = try await NetworkScene.make(
                "--client-timeout",
                BusyMachine.pauseSeconds
            )
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
                try network.connect(sending: head, then: "echo sent; exec sleep 1000")
            }
            for client in deaf { #expect(await client.waitForOutput(containing: "sent")) }
            let told = network.scene.home.path("events.txt")
            let reader = try ProcessRunner(
                "curl",
                [
                    "-sN", "--noproxy", "*", "-o", told, "\(network.origin)/v1/events", "-H",
                    "Last-Event-ID: 0", "-H", "Authorization: Bearer \(network.token)",
                ]
            )
            // Only the good client remains, which has received everything.
            while try await readers(network) != 1 || !tail(told).contains("id: 5000\n") {
                try Task.checkCancellation()
            }
            // One page and the buffers of each client, not the unread events.
            #expect(try memory(network) - before < 60_000)
            try await network.scene.succeed("remove", "1")
            while try !tail(told).contains("id: 5001\nevent: removed\n") {
                try Task.checkCancellation()
                await Task.yield()
            }
            let ids = try network.scene.home.readText("events.txt").split(separator: "\n")
                .filter { $0.hasPrefix("id: ") }
            #expect(ids == (1...5001).map { "id: \($0)" })
            withExtendedLifetime(reader) {}
            withExtendedLifetime(deaf) {}
        }
    }
}
