internal import CPostgres
internal import Glibc
internal import PawlCore
internal import Synchronization

/// The making of a connection, on a thread of its own.
///
/// libpq resolves host names and reads files while it connects, and nothing limits how long that
/// takes. Therefore the connection's thread only waits for this one.
///
/// `@unchecked Sendable`: `currentLimit` guards the outcome. Its link belongs to this attempt's thread before
/// it is the outcome, and then to the thread that takes it.
final class PostgresAttempt: @unchecked Sendable {
    private let address: PostgresAddress
    private let settings: PostgresSettings
    private let clock = SystemTimekeeper()
    private let wake: @Sendable () -> Void
    /// Readable when nobody waits for the connection any more.
    private let stop = pawl_pg_event()
    private let currentLimit: Mutex<Moment>
    private var outcome: Result<PostgresLink, PostgresError>?

    /// Creates an attempt; `wake` is called when there is an outcome.
    init(
        _ address: PostgresAddress,
        _ settings: PostgresSettings,
        wake: @escaping @Sendable () -> Void
    ) {
        self.address = address
        self.settings = settings
        self.wake = wake
        currentLimit = Mutex(clock.now() + settings.connectTime)
    }

    deinit { if stop >= 0 { close(stop) } }

    /// When the current host must have accepted the connection.
    var limit: Moment { currentLimit.withLock { $0 } }

    /// Returns the connection once there is one; otherwise `nil`.
    ///
    /// Throws the reason why there is none.
    func link() throws(PostgresError) -> PostgresLink? {
        var found: Result<PostgresLink, PostgresError>?
        currentLimit.withLock { _ in found = outcome }
        return try found?.get()
    }

    /// Starts the attempt; returns `false` if the system has no thread or no descriptor left.
    func start() -> Bool {
        stop >= 0 && PostgresWorker.start("pawl-connect") { [self] in run() }
    }

    /// Ends an attempt for which nobody waits any more, when libpq returns.
    func abandon() { pawl_pg_wake(stop) }

    private func run() {
        let outcome: Result<PostgresLink, PostgresError>
        do throws(PostgresError) {
            guard let link = try connect() else { return }
            outcome = .success(link)
        } catch {
            outcome = .failure(error)
        }
        currentLimit.withLock { _ in self.outcome = outcome }
        wake()
    }

    /// Returns the connection; `nil` if the attempt was abandoned.
    private func connect() throws(PostgresError) -> PostgresLink? {
        guard let link = PostgresLink(address, settings) else {
            throw PostgresError(.failed, "there is no memory for a connection to the database")
        }
        var host = ""
        // As libpq demands, the first wait is for writing.
        var events = Int16(POLLOUT)
        while true {
            if link.isBad { throw .connecting(to: address, link.text) }
            if link.host != host {
                host = link.host
                let limit = clock.now() + settings.connectTime
                currentLimit.withLock { $0 = limit }
                wake()
            }
            guard wait(for: link, events) else { return nil }
            switch link.connect() {
            case PGRES_POLLING_OK: return link
            case PGRES_POLLING_READING: events = Int16(POLLIN)
            case PGRES_POLLING_WRITING: events = Int16(POLLOUT)
            default: throw .connecting(to: address, link.text)
            }
        }
    }

    /// Waits until the socket is ready; returns `false` if the attempt was abandoned.
    private func wait(for link: PostgresLink, _ events: Int16) -> Bool {
        while true {
            var entries = [
                pollfd(fd: stop, events: Int16(POLLIN), revents: 0),
                pollfd(fd: link.socket, events: events, revents: 0),
            ]
            poll(&entries, nfds_t(entries.count), -1)
            if entries[0].revents != 0 { return false }
            if entries[1].revents != 0 { return true }
        }
    }
}
