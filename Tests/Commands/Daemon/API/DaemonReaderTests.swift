import FoundationEssentials
import Glibc
import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// Readers of events over TCP.
    @Suite(.timeLimit(.minutes(2)), .serialized)
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

        @Test func `one that does not read is cut, and the others never notice`() async throws {
            let network = try await NetworkScene.make("--client-timeout", "1")
            // More than the system keeps for who does not read.
            let name = String(repeating: "n", count: 200)
            let rows = (0..<8000).map { number in
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
            let reader = try ProcessRunner(
                "curl",
                [
                    "-sN", "--noproxy", "*", "\(network.origin)/v1/events", "-H",
                    "Last-Event-ID: 0", "-H", "Authorization: Bearer \(network.token)",
                ]
            )
            #expect(await reader.waitForOutput(containing: "id: 8000\n"))
            // The good one, in the end alone: each question takes a while, so that this is no race.
            var left = try await readers(network)
            for _ in 0..<2000 where left != 1 { left = try await readers(network) }
            #expect(left == 1)
            // A page and the buffers of each, and not what it did not read.
            #expect(try memory(network) - before < 60_000)
            try await network.scene.succeed("remove", "1")
            #expect(await reader.waitForOutput(containing: "id: 8001\nevent: removed\n"))
            var parser = ServerSentEventParser()
            let events = try parser.read(reader.outputBytes).filter { $0.name != "progress" }
            #expect(events.compactMap(\.id).prefix(8001) == ArraySlice((1...8001).map { "\($0)" }))
            withExtendedLifetime(deaf) {}
        }
    }
}
