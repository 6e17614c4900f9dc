internal import Glibc
internal import PawlCore
internal import PawlDaemon

/// The service manager that has started the daemon and receives its state (sd_notify(3)).
struct ServiceManager: Sendable {
    /// The path of the manager's socket; `nil` if there is no manager.
    private let socket: String?

    /// The manager that the environment names.
    ///
    /// Removes the variable, so that child processes do not inherit it.
    static func current() -> ServiceManager {
        let socket = getenv("NOTIFY_SOCKET").map { String(cString: $0) }
        unsetenv("NOTIFY_SOCKET")
        return ServiceManager(socket: socket)
    }

    func send(_ state: String) {
        guard let socket else { return }
        let kind = UnixAddress.datagram | UnixAddress.closesOnExec
        let descriptor = Glibc.socket(AF_UNIX, kind, 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let bytes = Array(state.utf8)
        // A manager that does not receive this stops the daemon after its time limit, or never.
        _ = UnixAddress.with(socket) { address, size in
            let address = address.assumingMemoryBound(to: sockaddr.self)
            return sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), address, size)
        }
    }

    /// Runs the daemon, and reports when it starts to stop.
    func reportingStop(
        _ work: @Sendable () async throws(DownloadError) -> Void
    ) async throws(DownloadError) {
        try await cancellable(work) { send("STOPPING=1") }
    }
}
