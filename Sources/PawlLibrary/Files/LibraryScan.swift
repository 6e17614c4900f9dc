internal import struct FoundationEssentials.URL
internal import Glibc
package import PawlCore
internal import PawlStorage
package import SystemPackage

/// Reads the files of a library's folder and their records, but none of their bytes.
package struct LibraryScan: Sendable {
    private let folder: FilePath
    /// The library's own background session.
    private let session: String?

    package init(_ folder: FilePath, session: String? = nil) {
        (self.folder, self.session) = (folder, session)
    }

    /// Returns all files as they are now.
    package func stamps() throws(DownloadError) -> [ExactText: FileStamp] {
        try attempt(.inspect, folder) { () throws(Errno) in try FolderSnapshot.take(folder) }
    }

    /// Returns those of the names that are files.
    package func check(
        _ names: some Sequence<ExactText>
    ) throws(DownloadError) -> [ExactText: FoundFile] {
        let stamps = try attempt(.inspect, folder) { () throws(Errno) in
            try FolderSnapshot.check(names, in: folder)
        }
        return stamps.reduce(into: [:]) { files, file in
            files[file.key] = check(file.key, file.value)
        }
    }

    /// Returns the whole content.
    ///
    /// `stamps` comes from a reading of the folder.
    ///
    /// This completes what an ended process left half done: a file that had its name but no record,
    /// and side files whose files were renamed.
    package func content(_ stamps: [ExactText: FileStamp]) -> LibraryContent {
        var content = LibraryContent()
        for (name, stamp) in stamps {
            if LibraryName.form(ofPending: name.text) != nil {
                // A note that is just being created is empty.
                if stamp.size > 0 { content.notes[name] = .some(PendingNote.read(path(name))) }
            } else if !LibraryName.isInternal(name.text) {
                content.files[name] = check(name, stamp)
            }
        }
        settle(&content)
        moveSideFiles(stamps.keys, &content)
        findPartials(stamps.keys, &content)
        return content
    }

    private func path(_ name: ExactText) -> FilePath { folder.file(named: name) }

    private func check(_ name: ExactText, _ stamp: FileStamp) -> FoundFile {
        if LibraryName.form(ofPending: name.text) != nil {
            return FoundFile(stamp: stamp, pending: PendingNote.read(path(name)))
        }
        guard !LibraryName.isInternal(name.text) else { return FoundFile(stamp: stamp) }
        return FoundFile(stamp: stamp, record: RecordStore.find(path(name)))
    }

    /// Records a file that was finished by a process that ended before it could do so.
    private func settle(_ content: inout LibraryContent) {
        for (name, note) in content.notes {
            guard let noted = note, content.files[noted.name]?.record == .absent,
                // The session reports the end of its own download, with all that is known of it.
                !noted.isInDaemon(for: session),
                RepresentationMark.found(on: path(noted.name)) != nil,
                // Another process is about to do it.
                let (note, pending) = try? PendingNote.take(noted.key, in: folder)
            else { continue }
            defer { note.release() }
            // If the record cannot be written, the download resumes and finds the file.
            guard let (record, stamp) = finished(pending),
                (try? RecordStore.write(record, for: path(pending.name))) != nil
            else { continue }
            content.files[pending.name] = FoundFile(stamp: stamp, record: .found(record))
            content.notes[name] = nil
            // The download finds its file the next time.
            try? note.remove()
        }
    }

    /// Returns the record of a file that a download has finished and nobody has recorded; `nil` if
    /// there is no such file.
    ///
    /// The caller holds the download's note.
    package func finished(_ pending: PendingDownload) -> (record: FileRecord, stamp: FileStamp)? {
        let path = path(pending.name)
        // A file of that name may belong to somebody else. The key owns only a file that its own
        // download has created, and only if nobody has changed the file's record since.
        guard let file = try? check([pending.name])[pending.name], file.record == .absent,
            KeyMark.key(on: path) == pending.key,
            let mark = RepresentationMark.found(on: path), mark.total == file.stamp.size
        else { return nil }
        var record = FileRecord(
            key: pending.key,
            source: pending.url,
            byteCount: mark.total,
            modified: file.stamp.modified
        )
        record.inode = file.stamp.inode
        record.entityTag = mark.tag
        record.lastModified = mark.lastModified
        return (record, file.stamp)
    }

    /// Moves the side file of a file that was renamed while no library was open.
    private func moveSideFiles(
        _ names: some Sequence<ExactText>,
        _ content: inout LibraryContent
    ) {
        let orphans = names.compactMap { name -> (file: FilePath, record: FileRecord)? in
            guard let file = RecordStore.file(ofSideFile: path(name)),
                content.files[ExactText(file.lastComponent?.string ?? "")] == nil,
                let record = RecordStore.stored(for: file)
            else { return nil }
            return (file, record)
        }
        guard !orphans.isEmpty else { return }
        let homeless = content.files.filter { $0.value.record == .absent }.sorted {
            $0.key < $1.key
        }
        var taken: Set<ExactText> = []
        for (old, record) in orphans {
            let found = homeless.first { name, file in
                !taken.contains(name)
                    && record.fits(byteCount: file.stamp.size, modified: file.stamp.modified)
                    && (record.inode == nil || record.inode == file.stamp.inode)
            }
            guard let name = found?.key,
                (try? RecordStore.move(from: old, to: path(name))) != nil
            else { continue }
            taken.insert(name)
            content.files[name]?.record = .found(record)
        }
    }

    private func findPartials(
        _ names: some Sequence<ExactText>,
        _ content: inout LibraryContent
    ) {
        for name in names where name.text.hasSuffix(".part") {
            guard let key = KeyMark.key(on: path(name)) else { continue }
            let final = String(name.text.dropLast(".part".count))
            if FileName.clean(final) == final { content.partials.append((key, ExactText(final))) }
        }
        content.partials.sort { $0.name < $1.name }
    }
}

extension FileRecord {
    /// Creates the record of a file, with the time of its last change as the time at which it was
    /// finished.
    fileprivate init(key: StorageKey, source: URL?, byteCount: Int64, modified: Int64) {
        let seconds = modified / 1_000_000_000
        if let source {
            self.init(
                key: key,
                source: source,
                byteCount: byteCount,
                modified: modified,
                finishedAt: seconds
            )
        } else {
            self.init(key: key, byteCount: byteCount, modified: modified, finishedAt: seconds)
        }
    }
}
