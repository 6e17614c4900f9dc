package import Logging
internal import PawlCore

/// Shows log entries as lines on standard error.
package struct ConsoleLogHandler: LogHandler {
    package var logLevel: Logger.Level
    package var metadata: Logger.Metadata = [:]
    package var metadataProvider: Logger.MetadataProvider?
    private let console: Console
    private let form: @Sendable (Logger.Level, String) -> String

    /// `form`: what an entry's line looks like.
    package init(
        console: Console,
        level: Logger.Level,
        form: @escaping @Sendable (Logger.Level, String) -> String
    ) {
        self.console = console
        self.form = form
        logLevel = level
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        console.message(form(event.level, event.line(with: metadata)))
    }
}

extension Console {
    /// The logger that the library gets: `pawl: …`, warnings as `pawl: note: …`.
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
