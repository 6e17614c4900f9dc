internal import PawlCore
internal import SystemPackage

/// The watched drop folder: receives names, and checks their files until they are complete.
final class DropWatch: Sendable {
    let folder: DropFolder
    let watcher: any FolderWatching
    let names = Mailbox<ExactText>()
    /// The end of the watching, with a reason unless the library itself ended it.
    let end = Mailbox<FolderEnd>()

    /// Starts watching.
    ///
    /// It blocks.
    init(_ path: FilePath) throws(DownloadError) {
        folder = DropFolder(path)
        watcher = try FolderWatch.begin(path)
        // Existing files with URLs are checked first.
        for name in watcher.baseline.keys.sorted() { names.post(name) }
    }

    func read() async {
        while let changes = await watcher.next() {
            for change in changes {
                switch change {
                case .added(let name), .modified(let name), .renamed(_, let name):
                    names.post(name)
                case .ended(let reason): end.post(reason)
                case .removed, .overflowed: break
                }
            }
        }
        names.wake()
    }
}
