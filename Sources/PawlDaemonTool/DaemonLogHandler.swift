internal import Glibc
internal import Logging
internal import PawlCLI
internal import PawlCore

/// Writes log entries with the time in front: `2026-11-21T17:00:00Z notice: …`.
struct DaemonLogHandler: LogHandler {
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
        console.message("\(Self.now) \(event.level): \(line.sanitized)")
    }

    private static var now: String {
        var (seconds, parts) = (time(nil), tm())
        gmtime_r(&seconds, &parts)
        var text = [CChar](repeating: 0, count: 32)
        let count = strftime(&text, text.count, "%Y-%m-%dT%H:%M:%SZ", &parts)
        return String(decoding: text[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
