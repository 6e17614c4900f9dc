internal import Glibc
internal import Synchronization

/// Writes the mark of a database to the marker file.
///
/// A mark is written after its commit is on the disk, so it never promises more than the database
/// has. It is not synced after each commit: an older mark after a power cut is also true.
final class CommitMarkFile: Sendable {
    private let descriptor: Int32
    private let mark: Mutex<CommitMark>

    /// `path`: the path of the database, whose marker file exists.
    init(beside path: String) {
        let file = StoreFiles.marker(of: path)
        // Without the file, nothing is lost but the proof that commits are missing.
        descriptor = open(file, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
        mark = Mutex(CommitMark(file: file) ?? CommitMark())
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Records a commit.
    func committed(_ new: CommitMark) {
        mark.withLock { mark in
            // Another thread may have recorded a later commit.
            guard new.commits > mark.commits else { return }
            let saved = mark.saved
            mark = new
            mark.saved = saved
            write(mark)
        }
    }

    /// Records that the whole log has been written to the database.
    func savedLog() {
        mark.withLock { mark in
            guard mark.saved < mark.commits else { return }
            mark.saved = mark.commits
            write(mark)
            fsync(descriptor)
        }
    }

    private func write(_ mark: CommitMark) {
        let bytes = Array(mark.line.utf8)
        // If this fails, the file has an older mark, which is also true.
        _ = pwrite(descriptor, bytes, bytes.count, 0)
    }
}
