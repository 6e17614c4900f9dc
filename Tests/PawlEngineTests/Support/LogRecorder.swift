import Logging
import PawlTesting

/// Records the engine's log messages.
final class LogRecorder: LogHandler {
    private let lines = Observed<[String]>([])

    var text: String { lines.value.joined(separator: "\n") }

    func says(_ part: String) -> Bool { text.contains(part) }

    /// Waits until a line that contains `part` is logged.
    func wait(for part: String) async {
        await lines.wait { $0.contains { $0.contains(part) } }
    }

    var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }

    var logLevel: Logger.Level {
        get { .debug }
        set {}
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }

    func log(event: LogEvent) { lines.update { $0.append("\(event.message)") } }
}
