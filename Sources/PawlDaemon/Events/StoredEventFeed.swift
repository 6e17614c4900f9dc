internal import PawlCore
internal import PawlWire

/// The stream of one reader: first the events that it missed, then the new ones, each once and in
/// order.
///
/// It holds one page of events at a time, so a slow reader delays nobody else.
struct StoredEventFeed: Sendable {
    let store: any QueueStore
    let notifier: EventNotifier
    /// The last event that the reader has seen; `nil` starts with the next event.
    let after: Int64?
    /// The session whose events are sent, with a notice after the missed ones; `nil` for all
    /// events.
    let session: String?
    let end: StreamEnd

    private static let page = 200
    private static let quiet: Duration = .seconds(10)
    /// The time after which a store is asked again that was not available.
    private static let outage: Duration = .seconds(1)

    /// Writes until the task is cancelled or the stream is ended.
    func write(_ send: ([UInt8]) async throws -> Void) async throws {
        let reader = notifier.addReader(end.wakeup, session: session)
        defer { notifier.removeReader(reader) }
        try await learnNewest()
        // A higher id comes from a store that was set aside.
        var last = min(after ?? notifier.last, notifier.last)
        var shown = notifier.progress?.number ?? 0
        // The head is sent with this comment, so the reader knows that the stream has started.
        try await send(ServerSentEvent.comment)
        var isBehind = session != nil
        while !Task.isCancelled, end.reason == nil, end.mayContinue() {
            if notifier.last > last {
                do {
                    try await sendPage(&last, send)
                } catch let error as DownloadError where error.code == .storeUnavailable {
                    // The reader keeps its stream, and gets the events later.
                    await end.wakeup.wait(atMost: Self.outage)
                    try await send(ServerSentEvent.comment)
                }
            } else if isBehind {
                isBehind = false
                try await send(Self.notice(.attached))
            } else if let progress = notifier.progress, progress.number > shown {
                shown = progress.number
                if let bytes = progress.bytes[session.map { ExactText($0) }] {
                    try await send(bytes)
                }
            } else {
                let before = (last, shown)
                await end.wakeup.wait(atMost: Self.quiet)
                let isQuiet = (notifier.last, notifier.progress?.number ?? 0) == before
                if isQuiet, !Task.isCancelled, end.reason == nil {
                    try await send(ServerSentEvent.comment)
                }
            }
        }
        if end.reason == .takenOver { try await send(Self.notice(.detached)) }
    }

    /// The reader may have received an event from another daemon of which this one has not heard yet.
    private func learnNewest() async throws {
        guard let after, after > notifier.last else { return }
        do throws(DownloadError) {
            notifier.published(try await store.read { try $0.events.last() })
        } catch {
            guard error.code == .storeUnavailable else { throw error }
        }
    }

    static func notice(_ notice: AttachQuery.Notice) -> [UInt8] {
        ServerSentEvent(name: notice.rawValue, data: "{}").bytes
    }

    private static func missed(
        after seen: Int64,
        through last: Int64
    ) throws(DownloadError) -> [UInt8] {
        let json = try WireJSON.encode(WireMissedEvents(after: seen, through: last))
        let name = AttachQuery.Notice.missed.rawValue
        return ServerSentEvent(name: name, data: String(decoding: json, as: UTF8.self)).bytes
    }

    private func sendPage(
        _ last: inout Int64,
        _ send: ([UInt8]) async throws -> Void
    ) async throws {
        let (seen, known) = (last, notifier.last)
        let session = session
        let (events, missed) = try await store.read {
            (
                try $0.events.list(after: seen, of: session, limit: Self.page),
                try $0.events.newestMissed(of: session)
            )
        }
        // Older events were deleted: the reader has to list the downloads instead.
        var bytes = missed > seen ? try Self.missed(after: seen, through: missed) : []
        for event in events {
            let json = try WireJSON.encode(event)
            bytes +=
                ServerSentEvent(
                    id: "\(event.id)",
                    name: event.kind.rawValue,
                    data: String(decoding: json, as: UTF8.self)
                ).bytes
        }
        // Events that only a newer version knows are skipped, too.
        let newest = events.last?.id ?? 0
        last = events.count < Self.page ? max(known, newest) : newest
        if !bytes.isEmpty { try await send(bytes) }
    }
}
