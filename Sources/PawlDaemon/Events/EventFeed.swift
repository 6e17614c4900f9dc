internal import PawlCore
internal import PawlWire

/// One reader's stream: what it missed, then what happens, each once and in order.
///
/// It holds one page of events at a time: who reads slowly waits for the store, and nobody else.
struct EventFeed: Sendable {
    let store: DaemonStore
    let news: EventNews
    /// The last event that the reader has seen; nil begins with the next one.
    let after: Int64?
    /// Only of this session, and with a notice behind what was missed.
    let session: String?
    let end: StreamEnd

    private static let page = 200
    private static let quiet: Duration = .seconds(10)

    /// Writes until the task is cancelled or the stream is ended.
    func write(_ send: ([UInt8]) async throws -> Void) async throws {
        let reader = news.enroll(end.bell, session: session)
        defer { news.resign(reader) }
        // An id of a store that was set aside is none of this one's.
        var last = min(after ?? news.last, news.last)
        var shown = news.progress?.number ?? 0
        // The head goes out with it: the reader knows that it hears from now on.
        try await send(ServerSentEvent.comment)
        var isBehind = session != nil
        while !Task.isCancelled, end.reason == nil, end.mayGoOn() {
            if news.last > last {
                try await sendPage(&last, send)
            } else if isBehind {
                isBehind = false
                try await send(Self.notice(.attached))
            } else if let progress = news.progress, progress.number > shown {
                shown = progress.number
                if let bytes = progress.bytes[session] { try await send(bytes) }
            } else {
                let before = (last, shown)
                await end.bell.wait(atMost: Self.quiet)
                let isQuiet = (news.last, news.progress?.number ?? 0) == before
                if isQuiet, !Task.isCancelled, end.reason == nil {
                    try await send(ServerSentEvent.comment)
                }
            }
        }
        if end.reason == .takenOver { try await send(Self.notice(.detached)) }
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
        let (seen, known) = (last, news.last)
        let session = session
        let (events, missed) = try await store.read {
            (
                try $0.events(after: seen, of: session, limit: Self.page),
                try $0.missedEvents(of: session)
            )
        }
        // Older ones are not kept any more: the reader is to look for itself what has become of them.
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
        // Those of a newer version are passed over, too.
        let newest = events.last?.id ?? 0
        last = events.count < Self.page ? max(known, newest) : newest
        if !bytes.isEmpty { try await send(bytes) }
    }
}
