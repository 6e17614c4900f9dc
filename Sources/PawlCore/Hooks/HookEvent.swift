/// What happens to a download that a program can be run for.
package enum HookEvent: String, Codable, Sendable, CaseIterable {
    /// The download starts; an automatic retry is not a start.
    case start
    /// The file is complete and verified, and has its name.
    case complete
    /// The download has failed, and is not retried.
    case error
}
