internal import Logging
internal import Pawl
internal import PawlCore
internal import PawlWire

/// Carries out a recorded removal of a download's files.
struct RemovalJob: Sendable {
    /// The id of the record; 0 if there is none.
    var intention: Int64
    var download: Int64
    var removal: Removal
    /// The folder that no file of the download may leave; `nil` if it is not confined.
    var root: String?

    /// Carries out several jobs at the same time; returns the files that remain, in the order of
    /// the jobs.
    static func carryOut(
        _ jobs: [RemovalJob],
        in session: DownloadSession,
        _ logger: Logger
    ) async -> [WireNotRemoved] {
        let remaining = await withTaskGroup(of: (Int, [WireNotRemoved]).self) { group in
            for (index, job) in jobs.enumerated() {
                group.addTask { (index, await job.carryOut(in: session, logger)) }
            }
            var remaining: [Int: [WireNotRemoved]] = [:]
            for await (index, files) in group { remaining[index] = files }
            return remaining
        }
        var all: [WireNotRemoved] = []
        for (index, job) in jobs.enumerated() {
            all += remaining[index] ?? []
            if let kept = await job.keptFile() { all.append(kept) }
        }
        return all
    }

    /// Returns the files that remain and why, and logs them.
    ///
    /// A folder that was replaced, by a link or by another folder, holds no file of this download.
    private func carryOut(in session: DownloadSession, _ logger: Logger) async -> [WireNotRemoved] {
        var remaining: [WireNotRemoved] = []
        func note(_ path: String, _ error: DownloadError?) {
            guard let error else { return }
            logger.warning("\(path.sanitized) was not removed: \(error)")
            remaining.append(
                WireNotRemoved(download: download, path: path, problem: Problem(error))
            )
        }
        for file in removal.files {
            let error = await within(file.path) { (path) async throws(DownloadError) in
                var file = file
                file.path = path
                try await session.leftovers.remove(file)
            }
            note(file.path, error)
        }
        if let unrecorded = removal.unrecorded {
            let error = await within(unrecorded.path) { (path) async throws(DownloadError) in
                guard let size = unrecorded.size else {
                    return try await session.leftovers.removePartial(of: path)
                }
                try await session.leftovers.removeFile(at: path, size: size)
            }
            note(unrecorded.path, error)
        }
        return remaining
    }

    /// Returns the file that existed before the download, if it still exists.
    ///
    /// It may belong to another download whose files are removed at the same time, so this is
    /// called after all jobs are done.
    private func keptFile() async -> WireNotRemoved? {
        guard let path = removal.kept else { return nil }
        guard !ObjectAddress.isOne(path) else {
            let problem = Problem(Self.objectIsKept(path))
            return WireNotRemoved(download: download, path: path, problem: problem)
        }
        let error = await within(path) { (inside) async throws(DownloadError) in
            if LeftoverFiles.isThere(inside) { throw LeftoverFiles.another(path) }
        }
        return error.map {
            WireNotRemoved(download: download, path: path, problem: Problem($0))
        }
    }

    private static func objectIsKept(_ url: String) -> DownloadError {
        DownloadError(
            .conflict,
            "\(url) is an object, which Pawl does not delete",
            advice: "delete it with a tool for the bucket"
        )
    }

    /// Returns the error for a file whose folder does not exist.
    ///
    /// The folder may be on a disk that is not mounted, or may have been renamed.
    private static func noFolder(of path: String) -> DownloadError {
        DownloadError(
            .fileUnreadable,
            "the folder \(path.pathFolder) does not exist, so it is not known whether its files do",
            advice: "mount its disk; the remaining files are removed when the daemon next starts"
        )
    }

    private func within(
        _ path: String,
        _ remove: (String) async throws(DownloadError) -> Void
    ) async -> DownloadError? {
        var folder: ConfinedFolder?
        do throws(DownloadError) {
            if let root {
                folder = try ConfinedFolder(path.pathFolder, in: root, creates: false)
                guard folder != nil else { throw Self.noFolder(of: path) }
            } else if !LeftoverFiles.isFolder(path.pathFolder) {
                throw Self.noFolder(of: path)
            }
            try await remove(folder?.inside(path) ?? path)
            withExtendedLifetime(folder) {}
            return nil
        } catch {
            return folder?.shown(error) ?? error
        }
    }
}

extension RemovalJob {
    /// Returns the job of a recorded removal; `nil` for another operation.
    init?(_ intention: Intention) {
        guard case .remove(let removal) = intention.operation else { return nil }
        self.init(
            intention: intention.id,
            download: intention.download,
            removal: removal,
            root: intention.root
        )
    }
}
