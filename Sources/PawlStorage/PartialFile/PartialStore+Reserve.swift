internal import CPlatform
internal import Glibc
package import PawlCore
internal import SystemPackage
internal import Synchronization

/// Room on the disk, taken before it is needed.
extension PartialStore {
    /// Makes sure of room for the whole file: `.diskFull` says how many bytes are missing.
    ///
    /// The file gets its full length. Where the file system cannot reserve, its free room is
    /// compared and nothing else: a sparse file of the full length would reserve nothing, and some
    /// file systems would fill it with zeroes on the way.
    package func reserve(total: Int64) throws(DownloadError) {
        guard total > 0 else { return }
        let missing = try attempt(.reserve, paths.partial) { () throws(Errno) in
            try file.missingRoom(for: total)
        }
        if let missing {
            throw DownloadError.diskFull(
                missing: missing,
                announced: total,
                .reserve,
                paths.partial
            )
        }
        do throws(Errno) {
            try file.allocate(total)
        } catch {
            guard error == .noSpace else {
                throw DownloadError(error, while: .reserve, paths.partial)
            }
            throw DownloadError.diskFull(
                missing: missingRoom(for: total),
                announced: total,
                .reserve,
                paths.partial
            )
        }
    }

    /// Off the hot path: only a failed write comes here.
    func writeFailure(_ errno: Errno, byteCount: Int) -> DownloadError {
        guard errno == .noSpace else { return DownloadError(errno, while: .write, paths.partial) }
        let total = state.withLock { $0.representation.total }
        let missing = total.flatMap { missingRoom(for: $0) } ?? Int64(byteCount)
        return .diskFull(missing: missing, .write, paths.partial)
    }

    private func missingRoom(for total: Int64) -> Int64? {
        // Only for the text of an error that is reported in any case.
        (try? file.missingRoom(for: total)) ?? nil
    }
}

extension OpenFile {
    /// How many bytes more than are free the file needs to grow to `total`; nil where they suffice.
    fileprivate func missingRoom(for total: Int64) throws(Errno) -> Int64? {
        var system = statvfs()
        try retrying { fstatvfs(descriptor, &system) }
        // File systems without a limit, or that do not know theirs, say zero blocks.
        guard system.f_blocks > 0 else { return nil }
        let room = Int64(clamping: system.f_bavail)
            .multipliedReportingOverflow(by: Int64(clamping: system.f_frsize))
        guard !room.overflow else { return nil }
        let needed = max(0, total - max(0, try status().allocated))
        return needed > room.partialValue ? needed - room.partialValue : nil
    }

    /// All or nothing: what a failed attempt has taken is given back.
    fileprivate func allocate(_ total: Int64) throws(Errno) {
        let size = try status().size
        do throws(Errno) {
            try retrying { pawl_fallocate(descriptor, 0, 0, total) }
        } catch .notSupportedOnSocket, .noFunction {
            return
        } catch {
            // The room that was taken behind the end; if even this fails, the first error stands.
            try? truncate(to: size)
            throw error
        }
    }
}
