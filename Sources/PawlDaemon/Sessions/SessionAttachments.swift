internal import PawlCore
internal import PawlWire
internal import Synchronization

/// The processes that are attached to the sessions: one per session.
final class SessionAttachments: Sendable {
    private struct Owner {
        var token: Int
        /// `nil` while the session is being forgotten: no process can take it over then.
        var process: Int32?
        var stream: StreamEnd
    }

    private struct State {
        var owners: [ExactText: Owner] = [:]
        var nextToken = 1
    }

    private let state = Mutex(State())
    /// Sent when a process has detached from its session.
    let detached: Wakeup

    /// The time that a new process waits, because the closed connection of a killed process is
    /// noticed after a while.
    private static let timeout: Duration = .seconds(1)

    init(detached: Wakeup) { self.detached = detached }

    /// The process that is attached to a session.
    func owner(of session: String) -> Int32? {
        state.withLock { $0.owners[ExactText(session)]?.process }
    }

    /// Whether a process is attached to a session, or the session is being forgotten.
    func isTaken(_ session: String) -> Bool {
        state.withLock { $0.owners[ExactText(session)] != nil }
    }

    /// Keeps processes from attaching to a session that is to be forgotten, until the attachment
    /// ends.
    ///
    /// - Throws: `.alreadyRunning` if a process is attached.
    func reserve(_ session: String) async throws(DownloadError) -> Attachment {
        try await attach(session, process: nil, takesOver: false, StreamEnd())
    }

    /// Attaches a process to a session until the attachment ends.
    ///
    /// If another process takes over the session, the stream is ended.
    ///
    /// - Throws: `.alreadyRunning` if another process is attached and is not to be replaced.
    func attach(
        _ session: String,
        process: Int32?,
        takesOver: Bool,
        _ stream: StreamEnd
    ) async throws(DownloadError) -> Attachment {
        let clock = ContinuousClock()
        let deadline = clock.now + Self.timeout
        while true {
            let (token, old) = state.withLock { state -> (Int?, Owner?) in
                let old = state.owners[ExactText(session)]
                guard old == nil || takesOver && old?.process != nil else { return (nil, old) }
                state.nextToken += 1
                state.owners[ExactText(session)] = Owner(
                    token: state.nextToken,
                    process: process,
                    stream: stream
                )
                return (state.nextToken, old)
            }
            if let token {
                old?.stream.end(.takenOver)
                return Attachment(attachments: self, session: session, token: token)
            }
            // Forgetting a session never takes long.
            let isReserved = old.map { $0.process == nil } ?? false
            guard clock.now < deadline || isReserved, !Task.isCancelled else {
                throw Self.isTaken(session, by: old?.process)
            }
            // The loop checks for cancellation.
            try? await Task.sleep(for: .milliseconds(20))
        }
    }

    fileprivate func detach(_ session: String, _ token: Int) {
        let hasDetached = state.withLock { state in
            guard state.owners[ExactText(session)]?.token == token else { return false }
            state.owners[ExactText(session)] = nil
            return true
        }
        if hasDetached { detached.send() }
    }

    private static func isTaken(_ session: String, by process: Int32?) -> DownloadError {
        guard let process else {
            return DownloadError(
                .alreadyRunning,
                "the session '\(session.sanitized)' is being forgotten",
                advice: "try again in a moment"
            )
        }
        return DownloadError(
            .alreadyRunning,
            "the session '\(session.sanitized)' is attached to process \(process)",
            advice: "end that process, or take the session over"
        )
    }
}

/// The attachment of a process to a session; it ends with this object.
final class Attachment: Sendable {
    private let attachments: SessionAttachments
    private let session: String
    private let token: Int

    fileprivate init(attachments: SessionAttachments, session: String, token: Int) {
        self.attachments = attachments
        self.session = session
        self.token = token
    }

    deinit { end() }

    func end() { attachments.detach(session, token) }
}
