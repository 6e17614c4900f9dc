internal import Logging
internal import Pawl
internal import PawlCore

extension MoveJob {
    /// Moves the file; returns it as it is then, or `nil` if it stays where it is.
    ///
    /// The log reports why. The folder of a download that is confined is opened again: its path may
    /// lead to another folder by now. After an outage of the queue, it tries again.
    ///
    /// - Throws: `.storeUnavailable` if the task is cancelled during an outage; the next start then
    ///   carries out the move.
    func carryOut(
        in environment: QueueEnvironment
    ) async throws(DownloadError) -> WrittenFile? {
        while true {
            do throws(DownloadError) {
                return try await attempt(environment)
            } catch {
                guard error.code == .storeUnavailable else {
                    environment.logger.warning(
                        "the file of download \(download) was not moved: \(error)"
                    )
                    return nil
                }
                // Each attempt may copy the whole file.
                repeat {
                    // The sleep fails only because of a cancellation.
                    guard (try? await Task.sleep(for: Self.retryInterval)) != nil else {
                        throw error
                    }
                } while environment.store.problem != nil
            }
        }
    }

    private static let retryInterval: Duration = .seconds(1)

    private func attempt(
        _ environment: QueueEnvironment
    ) async throws(DownloadError) -> WrittenFile? {
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
                try store.write(for: .repeatableEnd) {
                    try $0.intentions.noteCopy(stamp, of: download)
                }.value
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
            throw folder?.shown(error) ?? error
        }
    }
}
