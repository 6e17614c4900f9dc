internal import Glibc
internal import Logging
internal import Pawl
internal import PawlCLI
internal import Synchronization

/// Writes log entries and starts a new file when the log is too large.
struct RotatingLogHandler: LogHandler {
    private var handler: ConsoleLogHandler
    private let rotation: LogRotation?

    /// `rotation`: `nil` if the log is not a file of the daemon.
    init(_ handler: ConsoleLogHandler, _ rotation: LogRotation?) {
        (self.handler, self.rotation) = (handler, rotation)
    }

    var logLevel: Logger.Level {
        get { handler.logLevel }
        set { handler.logLevel = newValue }
    }

    var metadata: Logger.Metadata {
        get { handler.metadata }
        set { handler.metadata = newValue }
    }

    var metadataProvider: Logger.MetadataProvider? {
        get { handler.metadataProvider }
        set { handler.metadataProvider = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { handler[metadataKey: key] }
        set { handler[metadataKey: key] = newValue }
    }

    func log(event: LogEvent) {
        rotation?.rotate()
        handler.log(event: event)
    }
}

/// Limits the size of the log file.
final class LogRotation: Sendable {
    private let file: Mutex<DaemonLogFile>

    init(path: String) { file = Mutex(DaemonLogFile(path: path)) }

    func rotate() {
        file.withLock { $0.renew([STDOUT_FILENO, STDERR_FILENO]) }
    }
}
