internal import PawlCore
internal import PawlWire

/// The notifications of one client: the events since it connected, each once and in order.
struct Aria2NotificationFeed: Sendable {
    let service: Aria2Service
    /// Whether the client receives notifications.
    let mayRead: @Sendable () -> Bool

    private static let page = 200

    /// Writes until the task is cancelled.
    func write(_ send: ([UInt8]) async throws -> Void) async throws {
        let notifier = service.queue.notifier
        let wakeup = Wakeup()
        let reader = notifier.addReader(wakeup, readsProgress: false)
        defer { notifier.removeReader(reader) }
        var last = notifier.last
        while !Task.isCancelled {
            let known = notifier.last
            guard known > last else {
                await wakeup.wait()
                continue
            }
            guard mayRead() else {
                last = known
                continue
            }
            let after = last
            let events = try await service.queue.store.read {
                try $0.events.list(after: after, limit: Self.page)
            }
            for event in events {
                guard let bytes = Aria2Notification.bytes(event, service.gids) else { continue }
                try await send(bytes)
            }
            // Events that only a newer version knows are left out of the page.
            let newest = events.last?.id ?? 0
            last = events.count < Self.page ? max(known, newest) : newest
        }
    }
}
