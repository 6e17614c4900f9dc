internal import Logging
internal import PawlCore

/// Shows log entries as lines on standard error: `pawl: …`, warnings as `pawl: note: …`.
struct ConsoleLogHandler: LogHandler {
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?
    private let console: Console

    init(console: Console, level: Logger.Level) {
        self.console = console
        logLevel = level
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let line = event.line(with: metadata)
        let mark = event.level >= .warning ? "note: " : ""
        console.message("pawl: \(mark)\(console.traits.style.showable(line))")
    }
}

extension Console {
    /// The logger that the library gets.
    func logger(_ verbosity: Verbosity) -> Logger {
        let level: Logger.Level =
            switch verbosity {
            case .quiet: .critical
            case .normal: .warning
            case .verbose: .debug
            }
        return Logger(label: "pawl") { _ in
            ConsoleLogHandler(console: self, level: level)
        }
    }
}
