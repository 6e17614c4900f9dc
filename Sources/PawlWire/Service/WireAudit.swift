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
