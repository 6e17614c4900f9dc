internal import PawlCore
internal import PawlEngine
internal import Synchronization

/// The body of a data task between the network and those who want it: as a whole, or in pieces.
///
/// One puts in, and waits where it is full; one may take out. Until somebody says what it is for, it
/// keeps the beginning.
final class DataFunnel: Sendable {
    enum Use {
        case undecided
        /// For those who want it as a whole.
        case collected
        /// For a reader who takes it in pieces.
        case read
        /// Nobody gets it but the delegate.
        case told
    }

    private struct State {
        var use: Use
        /// All so far, or what the reader has not taken.
        var kept: [UInt8] = []
        /// Somebody has seen of it.
        var isSeen = false
        /// Whether it is all there is; nil while more may come.
        var end: Result<Void, DownloadError>?
    }

    /// So much is kept of what nobody has asked for, or has not taken.
    static let roomBytes = 256 << 10

    private let state: Mutex<State>
    private let limit: Int64
    /// Rings for who puts in, and for who takes out.
    private let (room, news) = (Mailbox<Never>(), Mailbox<Never>())

    /// `limit`: the most bytes that are wanted as a whole.
    init(_ use: Use, limit: Int64) {
        self.limit = limit
        state = Mutex(State(use: use))
    }

    /// Whether nobody has said yet what it is for.
    var isUndecided: Bool { state.withLock { $0.use == .undecided } }

    var collects: Bool { state.withLock { $0.use == .collected } }

    // MARK: - Putting in

    /// Waits until there is room, or `nudge()`.
    func waitForRoom() async { if isFull { await room.wait() } }

    /// Lets the one look again that puts in.
    func nudge() { room.nudge() }

    var isFull: Bool {
        state.withLock { state in
            switch state.use {
            case .undecided, .read: state.kept.count >= Self.roomBytes
            case .collected, .told: false
            }
        }
    }

    /// `isTold`: the delegate has it as well, and nobody else needs to.
    func put(_ bytes: [UInt8], isTold: Bool) throws(DownloadError) {
        try state.withLock { (state) throws(DownloadError) in
            if isTold { state.isSeen = true }
            let count = state.kept.count + bytes.count
            switch state.use {
            case .told: return
            case .undecided where isTold && count >= Self.roomBytes:
                state.use = .told
                state.kept = []
                return
            case .collected where Int64(count) > limit:
                throw StreamDriver.tooLarge("more than that", limit: limit)
            case .undecided, .collected, .read: state.kept += bytes
            }
        }
        news.nudge()
    }

    /// Drops what is kept, so that a body that broke off can begin anew.
    ///
    /// Returns false where somebody has seen of it: then nothing is dropped.
    func takeBack() -> Bool {
        state.withLock { state in
            guard !state.isSeen else { return false }
            state.kept = []
            return true
        }
    }

    /// All that was kept, where nobody reads it in pieces.
    var whole: [UInt8]? {
        state.withLock { state in
            state.use == .undecided || state.use == .collected ? state.kept : nil
        }
    }

    func end(_ result: Result<Void, DownloadError>) {
        state.withLock { $0.end = result }
        news.nudge()
    }

    // MARK: - Taking out

    /// From now on it is for this; throws where it is for something else.
    func claim(_ use: Use) throws(DownloadError) {
        try state.withLock { (state) throws(DownloadError) in
            guard state.use == .undecided || (state.use == .collected && use == .collected) else {
                throw Self.taken
            }
            state.use = use
        }
        room.nudge()
    }

    /// What there is for the reader, waiting for it; nil at the end.
    func take() async throws(DownloadError) -> [UInt8]? {
        while true {
            let (bytes, end) = state.withLock { state in
                defer { state.kept = [] }
                if !state.kept.isEmpty { state.isSeen = true }
                return (state.kept, state.end)
            }
            if !bytes.isEmpty {
                room.nudge()
                return bytes
            }
            if let end {
                try end.get()
                return nil
            }
            await news.wait()
        }
    }

    static let unread = DownloadError(
        .usage,
        "nobody asked for the answer's body, and there is more than fits into \(roomBytes) bytes",
        advice: "ask for it before resume(), as data or in pieces, or cancel the task"
    )

    static let taken = DownloadError(
        .usage,
        "the answer's body is read by another already, or by the session's delegate",
        advice: "ask for it before resume(), and in one way: as data, or in pieces"
    )
}
