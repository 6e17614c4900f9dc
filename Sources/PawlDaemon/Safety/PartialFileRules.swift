internal import PawlCore
internal import PawlWire

/// Decides which partial files a download may continue.
struct PartialFileRules {
    /// What the queue has recorded of partial files.
    struct Records {
        /// The downloads that have recorded the file in question.
        var writers: [WrittenFileTable.Writer]
        /// The partial files of the download itself.
        var own: [WrittenFile]
    }

    private let download: Int64
    private let owner: DownloadOwner

    /// Creates the rules for a download of an owner.
    init(for download: Int64, of owner: DownloadOwner) {
        (self.download, self.owner) = (download, owner)
    }

    /// Returns who has written a partial file; `records` is `nil` if the queue cannot be read.
    ///
    /// A partial file that no download of the queue has recorded may be one of `pawl get`, or of a
    /// download that was removed from the queue. Only the user may continue it, so for a program it
    /// is somebody else's; the same applies if the queue cannot be read.
    ///
    /// A file's numbers are not enough: after a file is deleted, another one can get them, and a
    /// restore from a backup, or a new mount on some file systems, changes them. Therefore the marks
    /// of the checkpoints decide, unless one of them is of an earlier version.
    func owner(of found: FoundPartialFile, _ records: Records?) -> PartialFileOwner {
        let unknownOwner: PartialFileOwner = owner.isProgram ? .somebodyElse : .anybody
        guard let records else { return unknownOwner }
        if let mark = found.mark, records.own.contains(where: { $0.mark == mark }) {
            return .thisDownload
        }
        let writers = records.writers.filter { writer in
            guard let mark = found.mark, let recorded = writer.mark else { return true }
            return mark == recorded
        }
        guard !writers.isEmpty else { return unknownOwner }
        if writers.contains(where: { $0.id == download }) { return .thisDownload }
        return writers.allSatisfy { $0.owner == owner } ? .anybody : .somebodyElse
    }
}
