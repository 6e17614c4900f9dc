internal import Glibc
internal import PawlCore
internal import PawlWire

/// Why nobody answers at the daemon's socket, and what the user can do.
struct DaemonAbsence {
    /// The process that has the queue.
    enum Owner: Hashable {
        case process(Int32)
        case unknown
    }

    private let places: DaemonPlaces

    init(_ places: DaemonPlaces) { self.places = places }

    /// Who has the queue; nil if nobody has.
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

    /// The error with advice that can be followed: a daemon that has the queue already, or is not
    /// installed, cannot be started.
    ///
    /// `isSilent`: it accepts connections, and does not answer.
    func error(_ problem: String, isSilent: Bool = false) -> DownloadError {
        if let owner { return error(problem, owner, isSilent: isSilent) }
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
            advice: "start it: pawl daemon start"
        )
    }

    private func error(_ problem: String, _ owner: Owner, isSilent: Bool) -> DownloadError {
        let (name, end) =
            switch owner {
            case .process(let id): ("process \(id)", "kill \(id)")
            case .unknown: ("another process", "end that process")
            }
        let restart = "\(end), then pawl daemon start"
        return DownloadError(
            .daemonUnavailable,
            isSilent
                ? "\(problem) (\(name))"
                : "\(problem), but \(name) has the queue in \(places.storeFolder)",
            advice: isSilent
                ? "see pawl daemon logs; if it hangs: \(restart)"
                : "set XDG_RUNTIME_DIR as that process has it, or start it again: \(restart)"
        )
    }
}
