internal import Logging
internal import Pawl
internal import PawlCore
internal import PawlWire

/// Files of a download that go: what carries an intention to remove out.
struct Discard: Sendable {
    var intention: Int64
    /// Whose they are.
    var download: Int64
    var removal: Removal
    /// The folder that nothing of the download may leave.
    var root: String?

    /// Returns what is still there and why, which the log tells, too.
    ///
    /// A folder that is another one by now, or a link, has nothing of this download.
    func carryOut(in session: DownloadSession, _ logger: Logger) async -> [WireNotRemoved] {
        var left: [WireNotRemoved] = []
        func note(_ path: String, _ error: DownloadError?) {
            guard let error else { return }
            logger.warning("\(path.sanitized) was not removed: \(error)")
            left.append(
                WireNotRemoved(download: download, path: path, problem: Problem(error))
            )
        }
        for file in removal.files {
            let error = await within(file.path) { (path) async throws(DownloadError) in
                var file = file
                file.path = path
                try await session.remove(file)
            }
            note(file.path, error)
        }
        if let unrecorded = removal.unrecorded {
            let error = await within(unrecorded.path) { (path) async throws(DownloadError) in
                guard let size = unrecorded.size else {
                    return try await session.removeLeftover(of: path)
                }
                try await session.removeFile(at: path, size: size)
            }
            note(unrecorded.path, error)
        }
        return left
    }

    /// The file that was there before the download, if it still is; asked when all that goes at the same
    /// time is gone, as it may be another download's.
    func kept() async -> WireNotRemoved? {
        guard let path = removal.kept else { return nil }
        let error = await within(path) { (inside) async throws(DownloadError) in
            if LeftoverNames.isThere(inside) { throw LeftoverNames.another(path) }
        }
        return error.map {
            WireNotRemoved(download: download, path: path, problem: Problem($0))
        }
    }

    private func within(
        _ path: String,
        _ remove: (String) async throws(DownloadError) -> Void
    ) async -> DownloadError? {
        var place: ConfinedFolder?
        do throws(DownloadError) {
            if let root {
                place = try ConfinedFolder(PathNames.folder(of: path), in: root, creates: false)
                // What lay in a folder that is gone has gone with it.
                guard place != nil else { return nil }
            }
            try await remove(place?.inside(path) ?? path)
            withExtendedLifetime(place) {}
            return nil
        } catch {
            return place?.shown(error) ?? error
        }
    }
}
