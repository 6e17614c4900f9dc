internal import Glibc
internal import PawlCore
internal import PawlWire

/// Explains why the daemon does not respond at its socket, and what the user can do.
struct DaemonAbsence {
    /// The process that holds the lock of the queue.
    enum Owner: Hashable {
        case process(Int32)
        case unknown
    }

    private let places: DaemonPlaces

    init(_ places: DaemonPlaces) { self.places = places }

    /// The process that holds the lock; `nil` if there is none.
    var owner: Owner? {
        let path = "\(places.storeFolder)/daemon.lock"
        let lock = open(path, O_RDONLY | O_CLOEXEC)
        guard lock >= 0 else { return nil }
        defer { close(lock) }
        guard flock(lock, LOCK_SH | LOCK_NB) != 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = max(0, pread(lock, &bytes, bytes.count, 0))
        let digits = bytes[..<count].prefix { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
        return Int32(String(decoding: digits, as: UTF8.self)).map { .process($0) } ?? .unknown
    }

    /// The error, with advice that fits the cause: another process may have the queue, or the
    /// daemon may not be installed.
    ///
    /// `isSilent`: whether the daemon accepts connections without responding.
    func error(isSilent: Bool = false) -> DownloadError {
        if let owner { return error(owner, isSilent: isSilent) }
        let problem = "the daemon is not running"
        do throws(DownloadError) {
            _ = try DaemonProgramFile.path()
        } catch {
            return DownloadError(
                .daemonUnavailable,
                "\(problem), and \(error.message)",
                advice: error.advice
            )
        }
        return DownloadError(
            .daemonUnavailable,
            problem,
            advice: "run 'pawl daemon start'"
        )
    }

    private func error(_ owner: Owner, isSilent: Bool) -> DownloadError {
        let (name, end) =
            switch owner {
            case .process(let id): ("process \(id)", "kill \(id)")
            case .unknown: ("another process", "end that process")
            }
        let restart = "\(end), then run 'pawl daemon start'"
        return DownloadError(
            .daemonUnavailable,
            isSilent
                ? "the daemon does not respond (\(name))"
                : "no daemon listens at \(places.socket), but \(name) uses the queue in "
                    + places.storeFolder,
            advice: isSilent
                ? "see 'pawl daemon logs'; if it hangs: \(restart)"
                : "set XDG_RUNTIME_DIR to the value of that process, or restart it: \(restart)"
        )
    }
}
