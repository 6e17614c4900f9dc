internal import Logging
internal import Pawl
internal import PawlCore

extension MoveJob {
    /// Moves the file; returns it as it is then, or `nil` if it stays where it is.
    ///
    /// The log reports why. The folder of a download that is confined is opened again: its path may
    /// lead to another folder by now.
    func carryOut(in environment: QueueEnvironment) async -> WrittenFile? {
        let (store, logger) = (environment.store, environment.logger)
        var folder: ConfinedFolder?
        do throws(DownloadError) {
            if let root {
                folder = try ConfinedFolder(file.path.pathFolder, in: root, creates: false)
                guard folder != nil else { return nil }
            }
            let source = folder?.inside(file.path) ?? file.path
            let moved = try await environment.session.leftovers.move(source, into: self.folder) {
                [download] (stamp) throws(DownloadError) in
                try store.writeInAnyCase { try $0.intentions.noteCopy(stamp, of: download) }
            }
            withExtendedLifetime(folder) {}
            for problem in moved.problems {
                let problem = folder?.shown(problem) ?? problem
                logger.warning(
                    "the file of download \(download) was moved to \(moved.file.path): \(problem)"
                )
            }
            return moved.file
        } catch {
            let error = folder?.shown(error) ?? error
            logger.warning("the file of download \(download) was not moved: \(error)")
            return nil
        }
    }
}
