internal import Glibc
internal import Logging
internal import PawlCore

/// An entry of the daemon's log, with the time in front: `2026-11-21T17:00:00Z notice: …`.
enum DaemonLogLine {
    static func text(_ level: Logger.Level, _ line: String) -> String {
        "\(now) \(level): \(line.sanitized)"
    }

    private static var now: String {
        var (seconds, parts) = (time(nil), tm())
        gmtime_r(&seconds, &parts)
        var text = [CChar](repeating: 0, count: 32)
        let count = strftime(&text, text.count, "%Y-%m-%dT%H:%M:%SZ", &parts)
        return String(decoding: text[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
