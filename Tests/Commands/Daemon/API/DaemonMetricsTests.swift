import Glibc
import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// The metrics for Prometheus, and the board for Grafana.
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct DaemonMetricsTests {
        /// Returns the metrics that a program with a token for reading receives.
        private func metrics(_ network: NetworkScene) async throws -> NetworkScene.Answer {
            let token = try await network.scene.succeed("daemon", "token", "--scope", "read").output
            let field = "Authorization: Bearer \(token.prefix { $0 != "\n" })"
            // The first request is counted for the second.
            _ = try await network.ask("GET", "/metrics", fields: [field])
            return try await network.ask("GET", "/metrics", fields: [field])
        }

        private func names(in text: String) -> Set<String> {
            Set(
                text.split(separator: "\n").filter { $0.hasPrefix("# TYPE ") }
                    .compactMap { $0.split(separator: " ").dropFirst(2).first.map(String.init) }
            )
        }

        @Test func `a token for reading gives access to the metrics`() async throws {
            let network = try await NetworkScene.make()
            let answer = try await metrics(network)
            #expect(answer.status == 200)
            #expect(answer.fields["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
            #expect(names(in: answer.body).contains("pawl_downloads"))
            let none = try await network.ask("GET", "/metrics", fields: ["Cookie: other=1"])
            #expect(none.status == 401)
        }

        @Test func `each metric of docs grafana json exists`() async throws {
            let network = try await NetworkScene.make()
            let known = names(in: try await metrics(network).body)
            let board = try Snapshot.text(of: "grafana.json", folder: "../../docs")
            let tree = try WireJSON.decode(JSONValue.self, from: board.utf8)
            let expressions = (tree["panels"]?.values ?? []).flatMap {
                ($0["targets"]?.values ?? []).compactMap { $0["expr"]?.string }
            }
            #expect(expressions.count == tree["panels"]?.values.count)
            let queries =
                expressions + [
                    tree["templating"]?["list"]?.values.compactMap { $0["query"]?["query"]?.string }
                        .joined() ?? ""
                ]
            var used: Set<String> = []
            for query in queries {
                let words = query.split { !($0.isLetter || $0.isNumber || $0 == "_") }
                let names = words.filter { $0.hasPrefix("pawl_") }.map(String.init)
                #expect(!names.isEmpty, "\(query)")
                used.formUnion(names)
            }
            #expect(used.subtracting(known).isEmpty)
            // The board shows all metrics.
            #expect(known.subtracting(used).isEmpty)
        }

        @Test(.enabled(if: access("/usr/bin/promtool", X_OK) == 0))
        func `promtool accepts the metrics`() async throws {
            let network = try await NetworkScene.make()
            let path = try network.scene.home.write("metrics", try await metrics(network).body)
            let run = try await ProcessRunner.run(
                "bash",
                ["-c", "exec promtool check metrics <\"$1\"", "-", path]
            )
            #expect(run.status == .code(0), "\(run.everything)")
        }
    }
}
