internal import FoundationEssentials
internal import Logging
internal import Pawl
internal import PawlCore
internal import PawlWire

/// Aborts the uploads that no download continues: those of downloads that were cancelled, removed or
/// finished otherwise, and those to which nothing was added for a week.
///
/// A service keeps the parts of an upload, and usually charges for them, until it is completed or
/// aborted.
final class LeftoverUploads {
    private let environment: QueueEnvironment
    /// The uploads that are being aborted.
    private var running: Set<Int64> = []
    /// Whether the last search has failed.
    private var hasFailed = false
    /// When the store is searched again.
    ///
    /// Visible to the queue, which waits until then.
    private(set) var nextDate = Date.distantPast

    private static let interval: Double = 3600
    /// The time in seconds after which a search that has failed is repeated.
    private static let retryInterval: Double = 10
    /// The time in seconds after which an upload is aborted to which nothing was added.
    static let longestRest: Double = 7 * 86_400

    init(_ environment: QueueEnvironment) { self.environment = environment }

    /// Searches the store with the next step.
    func check() { nextDate = .distantPast }

    /// Returns the uploads that are to be aborted now, which the caller aborts.
    ///
    /// That of a download that runs is left to its run. A run that starts later does not continue a
    /// returned upload.
    func take(at now: Date) -> [UploadTable.Abandoned] {
        // The clock may have been set back.
        guard now >= nextDate || nextDate.timeIntervalSince(now) > Self.interval else { return [] }
        nextDate = now.addingTimeInterval(Self.interval)
        do throws(DownloadError) {
            let due = try environment.store.write { transaction in
                let found = try transaction.uploads.abandoned(
                    before: now.addingTimeInterval(-Self.longestRest)
                )
                let due = found.filter { upload in
                    environment.running[upload.download] == nil
                        && !running.contains(upload.download)
                }
                for upload in due { try transaction.uploads.abandon(upload.download) }
                return due
            }
            running.formUnion(due.map(\.download))
            hasFailed = false
            return due
        } catch {
            nextDate = now.addingTimeInterval(Self.retryInterval)
            // Each further attempt would add a line.
            if !hasFailed {
                environment.logger.warning("the uploads to be aborted were not found: \(error)")
            }
            hasFailed = true
            return []
        }
    }

    /// Records that an upload was aborted, or could not be aborted, which is tried again later.
    func ended(_ upload: UploadTable.Abandoned, _ failure: DownloadError?) {
        running.remove(upload.download)
        let name = "the upload of \(upload.name.address) for download \(upload.download)"
        if let failure {
            environment.logger.warning("\(name) was not aborted: \(failure)")
            return
        }
        do throws(DownloadError) {
            try environment.store.writeInAnyCase { transaction in
                try transaction.uploads.forget(upload.name, of: upload.download)
            }
            environment.logger.notice("\(name) was aborted")
        } catch {
            // It is aborted again later, which does nothing.
            environment.logger.warning("\(name) was aborted, which was not recorded: \(error)")
        }
    }
}
