internal import FoundationEssentials
internal import Logging
internal import PawlCore

/// Formats entries of the daemon's log: `2026-11-21T17:00:00Z notice: …`.
enum DaemonLogLine {
    static func text(_ level: Logger.Level, _ line: String) -> String {
        "\(Date.now.formatted(.iso8601)) \(level): \(line.sanitized)"
    }
}
