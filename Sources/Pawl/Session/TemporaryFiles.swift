internal import PawlCore
internal import PawlStorage
internal import Synchronization
internal import SystemPackage

/// Where a session's temporary files are: an area that is made with the first of them, and gone with
/// the session, or with the next one after a crash.
final class TemporaryFiles: Sendable {
    private let application: StorageKey
    private let area = Mutex<TemporaryArea?>(nil)

    init(_ application: StorageKey) { self.application = application }

    /// It blocks.
    func path(_ name: String) throws(DownloadError) -> String {
        let area = try area.withLock { (area) throws(DownloadError) -> TemporaryArea in
            if let area { return area }
            let root = try SystemPlaces.current().prepare(.temporary, for: application)
            let made = try TemporaryArea.make(in: root)
            area = made
            return made
        }
        return area.path.appending(name).string
    }
}
