internal import PawlCore

/// Takes over the content of the folder when the library is opened.
extension LibraryTables {
    /// Takes over the content of the folder.
    ///
    /// Returns actions that report what is damaged.
    ///
    /// `notes` are the notes on unfinished downloads by name, with `nil` for one that cannot be
    /// read.
    mutating func load(_ content: LibraryContent) -> [Action] {
        var actions: [Action] = []
        for (name, note) in content.notes.sorted(by: { $0.key < $1.key }) {
            guard let note else {
                actions.append(
                    .report(
                        .recordDamaged(name: name.text, reason: "it is not a record of a download")
                    )
                )
                continue
            }
            let unseen = FileStamp(device: 0, inode: 0, size: 0, modified: 0)
            _ = appeared(name, [name: FoundFile(stamp: unseen, pending: note)])
        }
        for partial in content.partials where entries[partial.key]?.download == nil {
            // Its note is lost, so the next request must give the URL again.
            let pending = PendingDownload(key: partial.key, name: partial.name, url: nil)
            setDownload(Download(found: pending), of: partial.key)
        }
        for (name, file) in content.files.sorted(by: { $0.key < $1.key }) {
            // Files that exist from the beginning are not reported.
            actions += appeared(name, content.files).filter {
                if case .report(.recordDamaged) = $0 { true } else { false }
            }
            takeChanged(name, file)
        }
        return actions
    }

    /// Takes over a file that was changed while no library was open.
    ///
    /// It still has a record, which does not fit.
    ///
    /// If the file's number on disk differs, it is another file: a record in a side file stays
    /// behind when its own file is moved.
    private mutating func takeChanged(_ name: ExactText, _ file: FoundFile) {
        guard case .found(let record) = file.record, file.fittingRecord == nil,
            record.inode == nil || record.inode == file.stamp.inode, owner(of: name) == nil,
            entries[record.key]?.file == nil
        else { return }
        var changed = KnownFile(name: name, record: record, stamp: file.stamp)
        changed.isChanged = true
        setFile(changed, of: record.key)
    }
}
