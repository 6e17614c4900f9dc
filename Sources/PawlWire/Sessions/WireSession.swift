package import PawlCore

/// A named set of downloads.
package struct WireSession: Codable, Sendable, Hashable {
    package var identifier: String
    package var counts: [String: Int]
    /// The process that is attached to it.
    package var process: Int32?
    /// The last event that a process of the session has acknowledged; nil where none ever asked for
    /// the session.
    package var acknowledged: Int64?
    /// Whether a command runs when all its downloads have ended.
    package var hasRelaunchCommand: Bool?
    /// How many of its downloads run at a time; nil is as the queue allows.
    package var maximumConcurrentDownloads: Int?
    /// The most that its downloads may bring together; nil is no limit but that of all.
    package var limitBytesPerSecond: Int64?

    package init(identifier: String, counts: [String: Int]) {
        self.identifier = identifier
        self.counts = counts
    }
}

/// A page of the sessions, by name.
package struct WireSessions: Codable, Sendable, Hashable {
    package var sessions: [WireSession]
    /// What to give as `after` for the next page; nil at the end.
    package var next: String?

    package init(_ sessions: [WireSession], next: String? = nil) {
        (self.sessions, self.next) = (sessions, next)
    }
}

/// What makes a session one that keeps its events until they are acknowledged.
package struct SessionRegistration: Codable, Sendable, Hashable {
    package var identifier: String
    /// The program, then its arguments; empty runs nothing, nil leaves what there is.
    package var relaunchCommand: [String]?
    /// How many of its downloads run at a time; nil leaves what there is.
    package var maximumConcurrentDownloads: Int?
    /// The most that its downloads may bring together; 0 is no limit, nil leaves what there is.
    package var limitBytesPerSecond: Int64?

    package init(identifier: String, relaunchCommand: [String]? = nil) {
        self.identifier = identifier
        self.relaunchCommand = relaunchCommand
    }

    /// Throws `.usage`.
    package func check() throws(DownloadError) {
        guard SessionName.isOne(identifier) else { throw SessionName.error(identifier) }
        if let count = maximumConcurrentDownloads, count < 1 {
            throw DownloadError(
                .usage,
                "'maximumConcurrentDownloads' is \(count)",
                advice: "give 1 or more"
            )
        }
        if let limit = limitBytesPerSecond, limit < 0 {
            throw DownloadError(
                .usage,
                "'limitBytesPerSecond' is \(limit)",
                advice: "give more than 0, or 0 for none"
            )
        }
        guard let command = relaunchCommand, let program = command.first else { return }
        guard program.hasPrefix("/"), command.allSatisfy({ !$0.utf8.contains(0) }) else {
            throw DownloadError(
                .usage,
                "'\(program.sanitized(atMost: 100))' is no absolute path of a program",
                advice: "give the whole path, then the arguments, each on its own"
            )
        }
        guard command.count <= 1000, command.map(\.utf8.count).reduce(0, +) <= 64 << 10 else {
            throw DownloadError(.usage, "the relaunch command is too long", advice: "shorten it")
        }
    }
}

/// Up to which event everything was delivered.
package struct Acknowledgement: Codable, Sendable, Hashable {
    package var session: String
    package var event: Int64

    package init(session: String, event: Int64) {
        self.session = session
        self.event = event
    }
}

/// Who asks for a session's events as their one owner.
package struct AttachQuery: Sendable, Hashable {
    package var session: String
    /// Who asks; nil only looks, and owns nothing.
    package var process: Int32?
    /// Whether another owner is to go.
    package var takesOver = false

    package init(session: String) { self.session = session }

    /// A name of the stream's own events.
    package enum Notice: String, Sendable {
        /// All that was missed has been told.
        case attached
        /// Another process has taken the session over.
        case detached
        /// Events behind the one that was seen are not kept any more; of any stream.
        case missed
    }

    package var parameters: [String: String] {
        var parameters = ["session": session]
        parameters["process"] = process.map { "\($0)" }
        if takesOver { parameters["take-over"] = "true" }
        return parameters
    }

    /// Nil where no session is named.
    ///
    /// Throws `.usage` for what is no such query.
    package init?(parameters: [(name: String, value: String)]) throws(DownloadError) {
        var query = AttachQuery(session: "")
        for (name, value) in parameters {
            switch name {
            case "session":
                guard SessionName.isOne(value) else { throw SessionName.error(value) }
                query.session = value
            case "process":
                guard let process = Int32(value), process > 0 else {
                    throw DownloadError(.usage, "'process' is the number of a process")
                }
                query.process = process
            case "take-over":
                guard value == "true" else {
                    throw DownloadError(.usage, "'take-over' is 'true' or left out")
                }
                query.takesOver = true
            default:
                throw DownloadError(
                    .usage,
                    "'\(name.sanitized(atMost: 40))' is no parameter of the events",
                    advice: "use session, process or take-over"
                )
            }
        }
        guard !query.session.isEmpty else {
            guard query.process == nil, !query.takesOver else {
                throw DownloadError(.usage, "'session' is missing")
            }
            return nil
        }
        self = query
    }
}

/// What sessions may be called.
enum SessionName {
    static func isOne(_ name: String) -> Bool {
        (1...200).contains(name.utf8.count) && !name.holdsUnsafeToShow
    }

    static func error(_ name: String) -> DownloadError {
        DownloadError(
            .usage,
            "'\(name.sanitized(atMost: 40))' is no name of a session",
            advice: "give 1 to 200 bytes without control characters"
        )
    }
}
