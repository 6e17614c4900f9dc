internal import PawlCore
internal import PawlEngine
internal import Synchronization

/// The body of a data task between the network and its users, who get it as a whole or in pieces.
///
/// One writer adds bytes, and waits if it is full; one reader may take them. Until its use is
/// known, it keeps the beginning.
final class DataTaskBuffer: Sendable {
    enum Use {
        case undecided
        /// Collected for callers who want the whole body.
        case collected
        /// Read in pieces by a reader.
        case read
        /// Delivered only to the delegate.
        case delivered
    }

    private struct State {
        var use: Use
        /// All bytes so far, or those that the reader has not taken.
        var kept: [UInt8] = []
        /// Whether somebody has seen part of it.
        var isSeen = false
        /// The end of the body; `nil` while more bytes may follow.
        var end: Result<Void, DownloadError>?
    }

    /// The maximum number of bytes that are kept without a user, or until the reader takes them.
    static let roomBytes = 256 << 10

    private let state: Mutex<State>
    private let limit: Int64
    /// Wake the writer and the reader.
    private let (room, arrival) = (Wakeup(), Wakeup())

    /// Creates a buffer.
    ///
    /// `limit` is the maximum length of a whole body.
    init(_ use: Use, limit: Int64) {
        self.limit = limit
        state = Mutex(State(use: use))
    }

    /// Whether the use of the body is not known yet.
    var isUndecided: Bool { state.withLock { $0.use == .undecided } }

    var collects: Bool { state.withLock { $0.use == .collected } }

    // MARK: - Writing

    /// Waits until there is room, or until `wakeWriter()`.
    func waitForRoom() async { if isFull { await room.waitIgnoringCancellation() } }

    /// Makes the writer check again.
    func wakeWriter() { room.send() }

    var isFull: Bool {
        state.withLock { state in
            switch state.use {
            case .undecided, .read: state.kept.count >= Self.roomBytes
            case .collected, .delivered: false
            }
        }
    }

    /// Adds bytes.
    ///
    /// `isDelivered`: whether the delegate receives them as well, so that nobody else needs to.
    func put(_ bytes: [UInt8], isDelivered: Bool) throws(DownloadError) {
        try state.withLock { (state) throws(DownloadError) in
            if isDelivered { state.isSeen = true }
            let count = state.kept.count + bytes.count
            switch state.use {
            case .delivered: return
            case .undecided where isDelivered && count >= Self.roomBytes:
                state.use = .delivered
                state.kept = []
                return
            case .collected where Int64(count) > limit:
                throw StreamDriver.tooLarge("more bytes", limit: limit)
            case .undecided, .collected, .read: state.kept += bytes
            }
        }
        arrival.send()
    }

    /// Discards the kept bytes, so that a body that broke off can start over.
    ///
    /// Returns `false` if somebody has seen part of it: then nothing is discarded.
    func takeBack() -> Bool {
        state.withLock { state in
            guard !state.isSeen else { return false }
            state.kept = []
            return true
        }
    }

    /// The whole body, if nobody reads it in pieces.
    var whole: [UInt8]? {
        state.withLock { state in
            state.use == .undecided || state.use == .collected ? state.kept : nil
        }
    }

    func end(_ result: Result<Void, DownloadError>) {
        state.withLock { $0.end = result }
        arrival.send()
    }

    // MARK: - Reading

    /// Sets the use of the body.
    ///
    /// Throws if another use was set.
    func setUse(_ use: Use) throws(DownloadError) {
        try state.withLock { (state) throws(DownloadError) in
            guard state.use == .undecided || (state.use == .collected && use == .collected) else {
                throw Self.taken
            }
            state.use = use
        }
        room.send()
    }

    /// Waits for the next bytes; `nil` at the end.
    func take() async throws(DownloadError) -> [UInt8]? {
        while true {
            let (bytes, end) = state.withLock { state in
                defer { state.kept = [] }
                if !state.kept.isEmpty { state.isSeen = true }
                return (state.kept, state.end)
            }
            if !bytes.isEmpty {
                room.send()
                return bytes
            }
            if let end {
                try end.get()
                return nil
            }
            await arrival.waitIgnoringCancellation()
        }
    }

    static let unread = DownloadError.usage(
        "the response's body was not requested, and it is longer than \(roomBytes) bytes",
        advice: "request it before resume(), as data or in pieces, or cancel the task"
    )

    static let taken = DownloadError.usage(
        "another reader or the session's delegate already reads the response's body",
        advice: "request it before resume(), in one way only: as data, or in pieces"
    )
}
