/// What was in the folder when the library was opened.
extension LibraryIndex {
    /// Takes over what was found, and returns what was damaged.
    ///
    /// `notes`: those on unfinished downloads, by their names; nil where one cannot be read.
    package mutating func load(_ content: LibraryContent) -> [Action] {
        var actions: [Action] = []
        for (name, note) in content.notes.sorted(by: { $0.key < $1.key }) {
            guard let note else {
                actions.append(
                    .tell(.recordDamaged(name: name, reason: "it is no note on a download"))
                )
                continue
            }
            let unseen = FileStamp(device: 0, inode: 0, size: 0, modified: 0)
            _ = appeared(name, [name: FoundFile(stamp: unseen, pending: note)])
        }
        for partial in content.partials where entries[partial.key]?.download == nil {
            // Its note is lost: whoever asks gives the URL again.
            let order = PendingDownload(key: partial.key, name: partial.name, url: nil)
            setDownload(Download(found: order), of: partial.key)
        }
        for (name, file) in content.files.sorted(by: { $0.key < $1.key }) {
            // What is there from the beginning is no news.
            actions += appeared(name, content.files).filter {
                if case .tell(.recordDamaged) = $0 { true } else { false }
            }
            takeChanged(name, file)
        }
        return actions
    }

    /// A file that was changed while nobody looked still has a record, which does not fit it.
    ///
    /// One with another number on the disk is another file: a record in a side file, too, stays behind
    /// where its own goes.
    private mutating func takeChanged(_ name: String, _ file: FoundFile) {
        guard case .found(let record) = file.record, file.fittingRecord == nil,
            record.inode == nil || record.inode == file.stamp.inode, owners[name] == nil,
            entries[record.key]?.file == nil
        else { return }
        var changed = KnownFile(name: name, record: record, stamp: file.stamp)
        changed.isChanged = true
        setFile(changed, of: record.key)
    }
}

/// What a library's folder holds.
package struct LibraryContent: Sendable {
    /// Those that are not Pawl's own.
    package var files: [String: FoundFile] = [:]
    /// Nil where one cannot be read.
    package var notes: [String: PendingDownload?] = [:]
    /// Unfinished files that carry a key, by the names that they will have.
    package var partials: [(key: StorageKey, name: String)] = []

    package init() {}
}
