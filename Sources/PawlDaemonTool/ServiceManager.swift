internal import Glibc
internal import PawlCore
internal import PawlDaemon

/// The service manager that has started the daemon, and wants to hear how it goes (sd_notify(3)).
struct ServiceManager: Sendable {
    /// Nil where nobody wants to hear it.
    private let socket: String?

    /// As the environment says, which does not say it to others after that.
    static func current() -> ServiceManager {
        let socket = getenv("NOTIFY_SOCKET").map { String(cString: $0) }
        unsetenv("NOTIFY_SOCKET")
        return ServiceManager(socket: socket)
    }

    func tell(_ state: String) {
        guard let socket else { return }
        let kind = UnixAddress.datagram | UnixAddress.closesOnExec
        let descriptor = Glibc.socket(AF_UNIX, kind, 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let bytes = Array(state.utf8)
        // One that does not listen ends us in time, or not at all.
        _ = UnixAddress.with(socket) { address, size in
            sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), address, size)
        }
    }

    /// Runs the daemon, and says when it begins to wind up.
    func tellingOfTheEnd(
        _ work: @Sendable () async throws(DownloadError) -> Void
    ) async throws(DownloadError) {
        do {
            try await withTaskCancellationHandler {
                try await work()
            } onCancel: {
                tell("STOPPING=1")
            }
        } catch let error as DownloadError {
            throw error
        } catch {
            throw DownloadError(.unknown, "\(error)")
        }
    }
}
