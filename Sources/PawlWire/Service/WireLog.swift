/// The end of the daemon's log.
package struct WireLog: Codable, Sendable, Hashable {
    /// Whether the daemon writes its log to a file; otherwise, the log goes to a terminal or to the
    /// journal of systemd.
    package var isFile: Bool
    /// The last lines, the oldest first.
    package var lines: [String]

    package init(isFile: Bool, lines: [String]) { (self.isFile, self.lines) = (isFile, lines) }
}

/// The end of the audit log.
package struct WireAudit: Codable, Sendable, Hashable {
    /// The last entries, the oldest first.
    package var entries: [AuditEntry]

    package init(_ entries: [AuditEntry]) { self.entries = entries }
}

/// The number of lines of a log that a request or a command asks for.
package enum LogLimit {
    package static let standard = 100
    package static let most = 100_000
}
