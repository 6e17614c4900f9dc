package import PawlCore
package import PawlWire

/// The daemon's stream of events, for one reader.
package struct DaemonEvents: AsyncSequence, Sendable {
    package enum Element: Sendable {
        case event(WireEvent)
        case progress(WireProgress)
        /// A notice of a session's stream.
        case notice(AttachQuery.Notice)
    }
    package typealias Failure = DownloadError

    private let stream: DataStream

    init(_ stream: DataStream) { self.stream = stream }

    package func makeAsyncIterator() -> Iterator { Iterator(stream.makeAsyncIterator()) }

    package struct Iterator: AsyncIteratorProtocol {
        private var pieces: DataStream.Iterator
        private var parser = ServerSentEventParser()
        private var ready: [ServerSentEvent] = []

        init(_ pieces: DataStream.Iterator) { self.pieces = pieces }

        package mutating func next() async throws(DownloadError) -> Element? {
            try await next(isolation: #isolation)
        }

        /// Returns the next element; `nil` when the daemon ends.
        package mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(DownloadError) -> Element? {
            while true {
                while !ready.isEmpty {
                    if let element = try Self.element(ready.removeFirst()) { return element }
                }
                do throws(DownloadError) {
                    guard let piece = try await pieces.next(isolation: actor) else { return nil }
                    ready = try parser.read(piece)
                } catch {
                    // A stream that breaks is treated as one whose daemon has ended.
                    guard error.code == .network || error.code == .timedOut else { throw error }
                    return nil
                }
            }
        }

        /// Decodes an element; `nil` for an event of a newer daemon that is not known here.
        private static func element(
            _ event: ServerSentEvent
        ) throws(DownloadError) -> Element? {
            if event.name == WireProgress.eventName {
                return .progress(try WireJSON.decode(WireProgress.self, from: event.data.utf8))
            }
            if let notice = AttachQuery.Notice(rawValue: event.name) { return .notice(notice) }
            guard WireEvent.Kind(rawValue: event.name) != nil else { return nil }
            return .event(try WireJSON.decode(WireEvent.self, from: event.data.utf8))
        }
    }
}
