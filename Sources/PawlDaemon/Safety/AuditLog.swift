internal import FoundationEssentials
internal import Glibc
internal import Pawl
package import PawlCore
internal import PawlWire
internal import Synchronization

/// The audit log: one line of JSON per request that changes something, whether it was
/// accepted or refused.
///
/// It consists of a file and the previous one.
package final class AuditLog: Sendable {
    private struct State {
        /// The file; -1 before the first line, and if it cannot be opened.
        var descriptor: Int32 = -1
        var allowance = AuditAllowance()
        /// Whether the last line was written in part, for example because the disk was full.
        var lineIsOpen = false
    }

    private let file: DaemonLogFile
    private let state = Mutex(State())

    package init(path: String, mostBytes: Int = 5 << 20) {
        file = DaemonLogFile(path: path, mostBytes: mostBytes)
    }

    deinit {
        let descriptor = state.withLock { $0.descriptor }
        if descriptor >= 0 { close(descriptor) }
    }

    /// Adds a line.
    ///
    /// A request does not fail if the line cannot be written, for example on a full disk: the user
    /// must still be able to free space.
    package func record(
        _ request: String,
        by authority: Authority,
        at client: IPAddress?,
        changed: [Int64],
        status: Int
    ) {
        var entry = AuditEntry(
            time: Date(),
            who: authority.auditWho,
            token: authority.auditToken,
            request: request,
            status: status
        )
        entry.client = client?.text
        entry.note(changed)
        state.withLock { state in
            if authority == .nobody {
                guard let omitted = state.allowance.take(at: .now) else { return }
                if omitted > 0 { entry.omitted = omitted }
            }
            write(entry, &state)
        }
    }

    private func write(_ entry: AuditEntry, _ state: inout State) {
        if state.descriptor < 0 {
            state.descriptor = file.open()
            state.lineIsOpen = Self.lastLineIsOpen(in: file.path)
        }
        guard state.descriptor >= 0,
            // The values of an entry can always be written as JSON.
            let bytes = try? WireJSON.encode(entry)
        else { return }
        file.renew([state.descriptor])
        let end = [UInt8(ascii: "\n")]
        let line = (state.lineIsOpen ? end : []) + bytes + end
        let count = Glibc.write(state.descriptor, line, line.count)
        // If nothing was written, the file is as it was.
        if count > 0 { state.lineIsOpen = count < line.count }
    }

    /// Whether the last line of a file has no end, because an earlier process has written a part of
    /// it.
    private static func lastLineIsOpen(in path: String) -> Bool {
        let file = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else { return false }
        defer { close(file) }
        let size = lseek(file, 0, SEEK_END)
        var last: UInt8 = 0
        return size > 0 && pread(file, &last, 1, size - 1) == 1 && last != UInt8(ascii: "\n")
    }
}

extension Authority {
    fileprivate var auditWho: AuditEntry.Who {
        switch self {
        case .user: .socket
        case .page: .page
        case .token: .token
        case .nobody: .nobody
        }
    }

    fileprivate var auditToken: String? {
        if case .token(let name, _) = self { name } else { nil }
    }
}
