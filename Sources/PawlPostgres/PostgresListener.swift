internal import Synchronization

/// Receives what other sessions send with `NOTIFY`, on a connection of its own.
///
/// When the connection breaks, the listener makes a new one. Notifications in between are lost, so
/// the receiver checks the database itself after each ``Event/listening``.
package final class PostgresListener: Sendable {
    package enum Event: Sendable {
        /// From now on, nothing is missed.
        case listening
        case notified(PostgresNotification)
        /// The connection broke or could not be made; it is made again after a while.
        case interrupted(PostgresError)
    }

    private struct State: Sendable {
        var connection: PostgresConnection?
        /// The number of attempts since the last connection.
        var attempts = 0
        /// The number of connections that were begun.
        var count = 0
        var isClosed = false
    }

    private static let longestDelay = Duration.seconds(5)

    private let address: PostgresAddress
    private let settings: PostgresSettings
    private let report: @Sendable (Event) -> Void
    private let state = Mutex(State())

    /// Starts to listen.
    ///
    /// `report` is called on the connection's thread, and must not wait.
    package init(
        _ address: PostgresAddress,
        channels: [String],
        _ settings: PostgresSettings = PostgresSettings(),
        report: @escaping @Sendable (Event) -> Void
    ) {
        self.address = address
        var settings = settings
        settings.preparation += channels.map { "LISTEN " + PostgresValue.identifier($0) }
        self.settings = settings
        self.report = report
        connect()
    }

    deinit { close() }

    /// Stops listening.
    package func close() {
        let connection = state.withLock { state in
            state.isClosed = true
            return state.connection
        }
        connection?.close()
    }

    private func connect() {
        let (number, attempt) = state.withLock { state in
            defer { state.attempts += 1 }
            state.count += 1
            return (state.count, state.attempts)
        }
        var settings = settings
        settings.delay = Self.delay(before: attempt)
        let connection = PostgresConnection(address, settings) { [weak self] event in
            self?.note(event)
        }
        let isCurrent = state.withLock { state in
            // It may have ended already, and the next one have begun.
            guard !state.isClosed, state.count == number else { return false }
            state.connection = connection
            return true
        }
        if !isCurrent { connection.close() }
    }

    /// The first attempt and the first one after a connection broke come at once.
    private static func delay(before attempt: Int) -> Duration {
        guard attempt > 0 else { return .zero }
        return min(.milliseconds(100) * (1 << min(attempt, 6)), longestDelay)
    }

    private func note(_ event: PostgresConnectionEvent) {
        switch event {
        case .connected:
            state.withLock { $0.attempts = 0 }
            report(.listening)
        case .notified(let notification):
            report(.notified(notification))
        case .ended(let error):
            guard !state.withLock({ $0.isClosed }) else { return }
            report(.interrupted(error))
            connect()
        }
    }
}
