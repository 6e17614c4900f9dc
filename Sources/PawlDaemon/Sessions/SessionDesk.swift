internal import PawlCore
internal import PawlWire
internal import Synchronization

/// Which process each session is attached to: one at a time.
final class SessionDesk: Sendable {
    private struct Owner {
        var token: Int
        /// Nil where the session is just being forgotten: nobody takes it over then.
        var process: Int32?
        var stream: StreamEnd
    }

    private struct State {
        var owners: [String: Owner] = [:]
        var nextToken = 1
    }

    private let state = Mutex(State())
    /// Rings when a session has lost its owner.
    let left: Bell

    /// So long the connection of a process that was killed may take to be found closed.
    private static let patience: Duration = .seconds(1)

    init(left: Bell) { self.left = left }

    /// The process that has the session.
    func owner(of session: String) -> Int32? { state.withLock { $0.owners[session]?.process } }

    /// Whether a process has it, or it is just being forgotten.
    func isTaken(_ session: String) -> Bool { state.withLock { $0.owners[session] != nil } }

    /// Keeps everybody from a session that is to be forgotten, for as long as the attachment is there.
    ///
    /// - Throws: `.alreadyRunning` where a process has it.
    func reserve(_ session: String) async throws(DownloadError) -> Attachment {
        try await attach(session, process: nil, takesOver: false, StreamEnd())
    }

    /// Makes a process the session's owner, for as long as the attachment is there; its stream is
    /// ended where another one takes over.
    ///
    /// - Throws: `.alreadyRunning` where another one has it and is not to go.
    func attach(
        _ session: String,
        process: Int32?,
        takesOver: Bool,
        _ stream: StreamEnd
    ) async throws(DownloadError) -> Attachment {
        let clock = ContinuousClock()
        let deadline = clock.now + Self.patience
        while true {
            let (token, old) = state.withLock { state -> (Int?, Owner?) in
                let old = state.owners[session]
                guard old == nil || takesOver && old?.process != nil else { return (nil, old) }
                state.nextToken += 1
                state.owners[session] = Owner(
                    token: state.nextToken,
                    process: process,
                    stream: stream
                )
                return (state.nextToken, old)
            }
            if let token {
                old?.stream.end(.takenOver)
                return Attachment(desk: self, session: session, token: token)
            }
            // To forget one never takes long.
            let isReserved = old.map { $0.process == nil } ?? false
            guard clock.now < deadline || isReserved, !Task.isCancelled else {
                throw Self.isTaken(session, by: old?.process)
            }
            // Cancelled is what the loop looks at.
            try? await Task.sleep(for: .milliseconds(20))
        }
    }

    fileprivate func detach(_ session: String, _ token: Int) {
        let hasLeft = state.withLock { state in
            guard state.owners[session]?.token == token else { return false }
            state.owners[session] = nil
            return true
        }
        if hasLeft { left.ring() }
    }

    private static func isTaken(_ session: String, by process: Int32?) -> DownloadError {
        guard let process else {
            return DownloadError(
                .alreadyRunning,
                "the session '\(session.sanitized)' is being forgotten",
                advice: "ask again in a moment"
            )
        }
        return DownloadError(
            .alreadyRunning,
            "the session '\(session.sanitized)' is attached to process \(process)",
            advice: "end that one, or take the session over"
        )
    }
}

/// A process has a session while this is there.
final class Attachment: Sendable {
    private let desk: SessionDesk
    private let session: String
    private let token: Int

    fileprivate init(desk: SessionDesk, session: String, token: Int) {
        self.desk = desk
        self.session = session
        self.token = token
    }

    deinit { end() }

    func end() { desk.detach(session, token) }
}
