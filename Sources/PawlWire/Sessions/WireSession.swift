package import PawlCore

/// A named set of downloads.
package struct WireSession: Codable, Sendable, Hashable {
    package var identifier: String
    package var counts: [String: Int]
    /// The id of the process that is attached to it.
    package var process: Int32?
    /// The last event that a process of the session has acknowledged; `nil` if no process ever
    /// requested the session.
    package var acknowledged: Int64?
    /// Whether a command runs when all its downloads have ended.
    package var hasRelaunchCommand: Bool?
    /// The maximum number of its downloads that run at the same time; `nil` leaves it to the queue.
    package var maximumConcurrentDownloads: Int?
    /// The maximum speed of its downloads together; `nil` leaves only the limit for all downloads.
    package var limitBytesPerSecond: Int64?

    package init(identifier: String, counts: [String: Int]) {
        self.identifier = identifier
        self.counts = counts
    }
}

/// A page of the sessions, sorted by name.
package struct WireSessions: Codable, Sendable, Hashable {
    package var sessions: [WireSession]
    /// The value of `after` for the next page; `nil` on the last page.
    package var next: String?

    package init(_ sessions: [WireSession], next: String? = nil) {
        (self.sessions, self.next) = (sessions, next)
    }
}

/// The registration of a session that keeps its events until they are acknowledged.
package struct SessionRegistration: Codable, Sendable, Hashable, RequestObject {
    private enum CodingKeys: CodingKey, CaseIterable {
        case identifier, relaunchCommand, maximumConcurrentDownloads, limitBytesPerSecond
    }

    package static let knownMembers = KnownMembers(CodingKeys.self)

    package var identifier: String
    /// The program and its arguments; empty runs nothing, `nil` keeps the current command.
    package var relaunchCommand: [String]?
    /// The maximum number of its downloads that run at the same time; `nil` keeps the current
    /// value.
    package var maximumConcurrentDownloads: Int?
    /// The maximum speed of its downloads together; 0 means no limit, `nil` keeps the current
    /// value.
    package var limitBytesPerSecond: Int64?

    package init(identifier: String, relaunchCommand: [String]? = nil) {
        self.identifier = identifier
        self.relaunchCommand = relaunchCommand
    }

    /// Checks the registration.
    ///
    /// Throws `.usage`.
    package func check() throws(DownloadError) {
        guard SessionName.isOne(identifier) else { throw SessionName.error(identifier) }
        if let count = maximumConcurrentDownloads, count < 1 {
            throw .usage("'maximumConcurrentDownloads' is \(count)", advice: "give 1 or more")
        }
        if let limit = limitBytesPerSecond, limit < 0 {
            throw .usage(
                "'limitBytesPerSecond' is \(limit)",
                advice: "give more than 0, or 0 for no limit"
            )
        }
        guard let command = relaunchCommand, let program = command.first else { return }
        guard program.isAbsolutePath, command.allSatisfy({ !$0.utf8.contains(0) }) else {
            throw .usage(
                "'\(program.sanitized(atMost: 100))' is not the absolute path of a program",
                advice: "give the absolute path, then each argument as a separate element"
            )
        }
        guard command.count <= 1000, command.map(\.utf8.count).reduce(0, +) <= 64 << 10 else {
            throw .usage("the relaunch command is too long", advice: "shorten it")
        }
    }
}

/// The event up to which everything was delivered.
package struct Acknowledgement: Codable, Sendable, Hashable, RequestObject {
    private enum CodingKeys: CodingKey, CaseIterable {
        case session, event
    }

    package static let knownMembers = KnownMembers(CodingKeys.self)

    package var session: String
    package var event: Int64

    package init(session: String, event: Int64) {
        self.session = session
        self.event = event
    }
}

/// A request for a session's events by its only owner.
package struct AttachQuery: Sendable, Hashable {
    package var session: String
    /// The id of the requesting process; `nil` only reads the events and does not become the owner.
    package var process: Int32?
    /// Whether the current owner is to be replaced.
    package var takesOver = false

    package init(session: String) { self.session = session }

    /// The name of one of the stream's own events.
    package enum Notice: String, Sendable {
        /// All missed events have been sent.
        case attached
        /// Another process has taken over the session.
        case detached
        /// Events after the last one seen are no longer kept.
        ///
        /// This can occur in any stream.
        case missed
    }

    package var parameters: [String: String] {
        var parameters = ["session": session]
        parameters["process"] = process.map { "\($0)" }
        if takesOver { parameters["take-over"] = "true" }
        return parameters
    }

    /// Creates a query; `nil` if no session is named.
    ///
    /// Throws `.usage` if the parameters are not valid.
    package init?(parameters: [(name: String, value: String)]) throws(DownloadError) {
        var query = AttachQuery(session: "")
        for (name, value) in parameters {
            switch name {
            case "session":
                guard SessionName.isOne(value) else { throw SessionName.error(value) }
                query.session = value
            case "process":
                guard let process = Int32(value), process > 0 else {
                    throw .usage("'process' must be a process ID")
                }
                query.process = process
            case "take-over":
                guard value == "true" else {
                    throw .usage("invalid value for 'take-over'; use 'true' or leave it out")
                }
                query.takesOver = true
            // The route has refused parameters that it does not have.
            default: break
            }
        }
        guard !query.session.isEmpty else {
            guard query.process == nil, !query.takesOver else {
                throw .usage("'session' is missing")
            }
            return nil
        }
        self = query
    }
}

/// The rules for names of sessions.
enum SessionName {
    static func isOne(_ name: String) -> Bool {
        (1...200).contains(name.utf8.count) && !name.holdsUnsafeToShow
    }

    static func error(_ name: String) -> DownloadError {
        DownloadError.usage(
            "invalid session name '\(name.sanitized(atMost: 40))'",
            advice: "use 1 to 200 bytes without control characters"
        )
    }
}
