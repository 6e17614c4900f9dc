package import Logging
internal import PawlCore

/// Prints log entries to standard error.
package struct ConsoleLogHandler: LogHandler {
    package var logLevel: Logger.Level
    package var metadata: Logger.Metadata = [:]
    package var metadataProvider: Logger.MetadataProvider?
    private let console: Console
    private let format: @Sendable (Logger.Level, String) -> String

    /// `format`: returns the line of an entry.
    package init(
        console: Console,
        level: Logger.Level,
        format: @escaping @Sendable (Logger.Level, String) -> String
    ) {
        self.console = console
        self.format = format
        logLevel = level
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        console.message(format(event.level, event.line(with: metadata)))
    }
}

extension Console {
    /// The logger for the library: `pawl: …`, and `pawl: note: …` for warnings.
    func logger(_ verbosity: Verbosity) -> Logger {
        let level: Logger.Level =
            switch verbosity {
            case .quiet: .critical
            case .normal: .warning
            case .verbose: .debug
            }
        let style = traits.style
        return Logger(label: "pawl") { _ in
            ConsoleLogHandler(console: self, level: level) { level, line in
                "pawl: \(level >= .warning ? "note: " : "")\(style.showable(line))"
            }
        }
    }
}

extension LogEvent {
    /// The message, followed by the metadata of the event and of the logger.
    package func line(with metadata: Logger.Metadata) -> String {
        let all = metadata.merging(self.metadata ?? [:]) { _, new in new }
        return all.sorted { $0.key < $1.key }
            .reduce(into: message.description) { $0 += " \($1.key)=\($1.value)" }
    }
}
