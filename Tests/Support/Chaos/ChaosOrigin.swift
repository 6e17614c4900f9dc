import PawlCore
import Synchronization
import SystemPackage

/// A real server whose answers a scenario corrupts, and which records every body that it presented
/// as its file.
final class ChaosOrigin: Sendable {
    static let path = "/file.bin"

    private final class Shared: Sendable {
        let answers: Mutex<ChaosAnswers>
        init(_ scenario: ChaosScenario) { answers = Mutex(ChaosAnswers(scenario)) }
    }

    private let shared: Shared
    private let origin: ScriptedOrigin

    init(_ scenario: ChaosScenario) throws(Errno) {
        let shared = Shared(scenario)
        self.shared = shared
        origin = try ScriptedOrigin()
        origin.routeDefault(
            Reply { exchange in
                shared.answers.withLock { answers in
                    answers.answer(exchange) { shared.answers.withLock { $0.sentFile() } }
                }
            }
        )
    }

    var url: String { origin.url(Self.path) }

    /// The requests received so far.
    var requests: [RecordedRequest] { origin.requests }

    /// Starts the next run.
    func beginRun(stop: ChaosStop?, _ trigger: ChaosTrigger) {
        shared.answers.withLock { $0.beginRun(stop: stop, trigger) }
    }

    /// Answers every later request correctly.
    func calmDown() { shared.answers.withLock { $0.calmDown() } }

    /// The answers given so far.
    var answers: ChaosAnswers { shared.answers.withLock { $0 } }

    /// Returns the requests from a given number on and their answers, one per line.
    func story(from first: Int) -> [String] {
        let notes = answers.notes
        let requests = origin.requests.dropFirst(first)
        let begin = requests.first?.moment ?? .zero
        return requests.map { request in
            let time = Int((request.moment - begin).seconds * 1000)
            let status = request.status.map { "\($0)" } ?? "verbatim"
            let end = request.end.map { "\($0)" } ?? "under way"
            return "  #\(request.number) +\(time) ms, connection \(request.connection): "
                + "\(request.target) \(request["Range"] ?? "whole") -> \(status), "
                + "\(request.bodyBytesSent) bytes, \(end) [\(notes[request.number] ?? "")]"
        }
    }
}
