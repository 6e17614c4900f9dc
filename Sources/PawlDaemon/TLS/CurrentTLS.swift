package import Logging
internal import Pawl
package import PawlCore
internal import PawlWire
internal import Synchronization

/// The certificate that new connections get; any thread may read it.
///
/// It is read again when its files have changed, so that a renewal needs no restart.
package final class CurrentTLS: Sendable {
    package typealias Instant = ContinuousClock.Instant

    /// A certificate that was read, with the stamps of its files before that.
    package struct Loaded: Sendable {
        fileprivate let files: TLSFiles
        fileprivate var stamps: [ChangeStamp?]
        fileprivate var context: TLSContext

        /// Reads and checks the files.
        package init(_ files: TLSFiles) throws(DownloadError) {
            self.files = files
            stamps = files.stamps
            context = try TLSContext(files)
        }
    }

    private struct State {
        var loaded: Loaded?
        /// The time of the last check whether the files have changed.
        var checked: Instant?
    }

    /// The minimum time between two checks of the files.
    private static let interval = Duration.seconds(1)

    private let logger: Logger
    private let state = Mutex(State())

    package init(logger: Logger) { self.logger = logger }

    /// Reads and checks the certificate that settings name; `nil` if they name none.
    ///
    /// Throws if it cannot be used, and `.usage` if a listener needs one.
    static func load(_ settings: DaemonSettings) throws(DownloadError) -> Loaded? {
        guard let certificate = settings.tlsCertificate else {
            for address in [settings.listenAddress, settings.aria2Address].compactMap(\.self) {
                try checkIsOwn(address)
            }
            if settings.tlsKey != nil {
                throw .usage(
                    "a TLS key has no effect without a certificate",
                    advice: "give one: pawl daemon start --tls-cert FILE"
                )
            }
            return nil
        }
        return try Loaded(TLSFiles(certificate: certificate, key: settings.tlsKey))
    }

    /// Whether connections use TLS.
    package var isOn: Bool { state.withLock { $0.loaded != nil } }

    /// Sets the certificate; `nil` turns TLS off.
    package func set(_ loaded: Loaded?) { state.withLock { $0 = State(loaded: loaded) } }

    /// Whether the certificate is for this host name or address.
    package func isFor(_ host: String) -> Bool {
        state.withLock { $0.loaded?.context }?.isFor(host) ?? false
    }

    /// The certificate for a new connection; `nil` if TLS is off.
    ///
    /// If new files cannot be used, the previous certificate stays, and the reason is logged once.
    package func context(at now: Instant = .now) -> TLSContext? {
        state.withLock { state in
            guard var loaded = state.loaded else { return nil }
            if let checked = state.checked, now < checked + Self.interval { return loaded.context }
            state.checked = now
            let stamps = loaded.files.stamps
            guard stamps != loaded.stamps else { return loaded.context }
            loaded.stamps = stamps
            do throws(DownloadError) {
                loaded.context = try TLSContext(loaded.files)
                logger.notice("the TLS certificate has changed; new connections use the new one")
            } catch {
                logger.warning("the previous TLS certificate stays in use: \(error)")
            }
            state.loaded = loaded
            return loaded.context
        }
    }

    /// Records why a connection has failed.
    func logFailure(_ failure: TLSSession.Failure) {
        logger.debug("a TLS connection has failed: \(failure.reason)")
    }

    /// Throws `.usage` for an address that other machines can reach.
    private static func checkIsOwn(_ address: ListenAddress) throws(DownloadError) {
        guard !address.isLoopback else { return }
        throw .usage(
            "other machines can reach '\(address.hostText)', so the daemon needs TLS to listen there",
            advice: """
                give a certificate: pawl daemon start --tls-cert FILE; or listen at 127.0.0.1, and \
                connect through a reverse proxy or ssh -L \(Int(address.port)):127.0.0.1:\(Int(address.port)) HOST
                """
        )
    }
}
