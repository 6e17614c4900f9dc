internal import Logging
internal import Pawl
internal import PawlCore

/// Something that is to be thrown away from the disk.
struct Discard: Sendable {
    enum Kind: Sendable {
        /// What came of a download that is to have no file.
        case leftover
        case file
    }

    /// Whose it is.
    var id: Int64
    var kind: Kind
    /// The file, finished or to come, as the user knows it.
    var path: String
    /// The folder that nothing of the download may leave.
    var root: String?
    /// The file's folder, where a run has held it.
    var place: ConfinedFolder?

    /// What was in the way, which the log tells, too.
    ///
    /// A folder that is another one by now, or a link, has nothing of this download.
    func carryOut(in session: DownloadSession, _ logger: Logger) async -> DownloadError? {
        var place = place
        do throws(DownloadError) {
            if place == nil, let root {
                place = try ConfinedFolder(PathNames.folder(of: path), in: root, creates: false)
                // What lay in a folder that is gone has gone with it.
                guard place != nil else { return nil }
            }
            let path = place?.inside(path) ?? path
            switch kind {
            case .leftover: try await session.removeLeftover(of: path)
            case .file: try await session.removeFile(at: path)
            }
            withExtendedLifetime(place) {}
            return nil
        } catch {
            let error = place?.shown(error) ?? error
            logger.warning("\(path.sanitized) was not removed: \(error)")
            return error
        }
    }
}
