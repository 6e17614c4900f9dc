internal import CPlatform
internal import Glibc
package import PawlCore
internal import SystemPackage
internal import Synchronization

/// Reserving space on the disk before it is needed.
extension PartialStore {
    /// Reserves space for the whole file.
    ///
    /// If there is too little, `.diskFull` contains the number of missing bytes.
    ///
    /// The file gets its full length. If the file system cannot reserve space, only its free space
    /// is compared: a sparse file of the full length would reserve nothing, and some file systems
    /// would fill it with zeros.
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

    /// Returns the error of a failed write.
    ///
    /// This is not on the hot path.
    func writeFailure(_ errno: Errno, byteCount: Int) -> DownloadError {
        guard errno == .noSpace else { return DownloadError(errno, while: .write, paths.partial) }
        let total = state.withLock { $0.representation.total }
        let missing = total.flatMap { missingRoom(for: $0) } ?? Int64(byteCount)
        return .diskFull(missing: missing, .write, paths.partial)
    }

    private func missingRoom(for total: Int64) -> Int64? {
        // This is only for the text of an error that is reported in any case.
        (try? file.missingRoom(for: total)) ?? nil
    }
}

extension OpenFile {
    /// Returns how many bytes are missing for the file to grow to `total`; `nil` if there is enough
    /// space.
    fileprivate func missingRoom(for total: Int64) throws(Errno) -> Int64? {
        var system = statvfs()
        try retrying { fstatvfs(descriptor, &system) }
        // File systems that have no limit, or do not know it, report zero blocks.
        guard system.f_blocks > 0 else { return nil }
        let room = Int64(clamping: system.f_bavail)
            .multipliedReportingOverflow(by: Int64(clamping: system.f_frsize))
        guard !room.overflow else { return nil }
        let needed = max(0, total - max(0, try status().allocated))
        return needed > room.partialValue ? needed - room.partialValue : nil
    }

    /// Allocates all of the space or none: a failed attempt releases what it has taken.
    fileprivate func allocate(_ total: Int64) throws(Errno) {
        let size = try status().size
        do throws(Errno) {
            try retrying { pawl_fallocate(descriptor, 0, 0, total) }
        } catch .notSupportedOnSocket, .noFunction {
            return
        } catch {
            // This releases the space after the end. If even this fails, the first error is
            // reported.
            try? truncate(to: size)
            throw error
        }
    }
}
