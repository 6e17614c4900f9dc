internal import Glibc
package import PawlCore
internal import PawlStorage
package import SystemPackage

/// The operations of a library on the files in its folder.
///
/// All calls block.
package struct LibraryFiles: Sendable {
    package let folder: FilePath

    package init(_ folder: FilePath) { self.folder = folder }

    package func path(_ name: ExactText) -> FilePath { folder.file(named: name) }

    /// Records a file that has just been finished, and returns it with its current status.
    ///
    /// `record` contains everything except what the disk knows. If it has no digest and one is
    /// wanted, the file is read.
    package func note(
        _ record: FileRecord,
        on name: ExactText,
        digests: Bool
    ) throws(DownloadError) -> KnownFile {
        let path = path(name)
        var record = record
        for _ in 0..<3 {
            let before = try status(path)
            if digests, record.digest == nil {
                record.digest = try FileDigest.compute(.sha256, of: path)
            }
            let status = try status(path)
            guard status.identity == before.identity, status.size == before.size,
                status.modifiedNanoseconds == before.modifiedNanoseconds
            else {
                record.digest = nil
                continue
            }
            record.byteCount = status.size
            record.modified = status.modifiedNanoseconds
            record.inode = status.identity.inode
            try RecordStore.write(record, for: path)
            return KnownFile(name: name, record: record, stamp: FileStamp(status))
        }
        throw DownloadError(
            .diskFailure,
            "another program changed \(name) just after it was finished",
            advice: "request it again when no program writes to it"
        )
    }

    /// Writes a file in place of `old` if `old` has not changed, otherwise under the first free
    /// name of `name` and its numbers.
    ///
    /// Returns the name. A file of somebody else is never replaced.
    package func write(
        _ bytes: [UInt8],
        to name: ExactText,
        replacing old: KnownFile?
    ) throws(DownloadError) -> ExactText {
        let folder = FileFolder(folder)
        if let old, try stamp(old.name) == old.stamp {
            try folder.write(bytes, to: old.name.text)
            return old.name
        }
        let free = try FreeName.first(of: name.text) { (name) throws(DownloadError) in
            guard try !folder.exists(name) else { return false }
            do throws(DownloadError) {
                try folder.createFile(name, bytes)
            } catch  where error.code == .fileExists {
                return false
            }
            return true
        }
        guard let free else { throw DownloadError(.fileExists, while: .create, path(name)) }
        return ExactText(free)
    }

    /// Returns the stamp of the file of that name; `nil` if there is none.
    package func stamp(_ name: ExactText) throws(DownloadError) -> FileStamp? {
        let path = path(name)
        return try attempt(.inspect, path) { () throws(Errno) in
            try path.status().flatMap { $0.isRegular ? FileStamp($0) : nil }
        }
    }

    /// Returns the file of that name if its record fits.
    package func known(_ name: ExactText) throws(DownloadError) -> KnownFile? {
        guard let found = try LibraryScan(folder).check([name])[name],
            let record = found.fittingRecord
        else { return nil }
        return KnownFile(name: name, record: record, stamp: found.stamp)
    }

    /// Returns the key's file, under any of these names, if its record fits.
    package func known(
        _ key: StorageKey,
        among names: [ExactText]
    ) throws(DownloadError) -> KnownFile? {
        for name in names {
            if let file = try known(name), file.record.key == key { return file }
        }
        return nil
    }

    /// Whether a download of the key may have that name: there is neither a file nor a partial file
    /// of another download.
    package func isFree(_ name: ExactText, for key: StorageKey) throws(DownloadError) -> Bool {
        guard try !FileFolder(folder).exists(name.text) else { return false }
        return KeyMark.isPossible(key, on: DownloadPaths(path(name)).partial)
    }

    /// Whether a finished file was created by a download of that key.
    package func isOwn(_ name: ExactText, _ key: StorageKey) -> Bool {
        if let stored = RecordStore.stored(for: path(name)) { return stored.key == key }
        return KeyMark.key(on: path(name)) == key
    }

    /// Checks that the daemon has put a key's file into this folder.
    package func requireFile(of key: StorageKey, at path: String) throws(DownloadError) {
        guard let name = FilePath(path).lastComponent?.string,
            try stamp(ExactText(name)) != nil,
            KeyMark.isPossible(key, on: self.path(ExactText(name)))
        else {
            throw DownloadError(
                .fileUnreadable,
                "the daemon has put the file at \(path.sanitized), which is not in \(folder)",
                advice: "move the file, or request the key again to fetch it into this folder"
            )
        }
    }

    /// Returns all bytes of a file if it has not changed; otherwise `nil`.
    package func read(_ file: KnownFile, limit: Int) throws(DownloadError) -> [UInt8]? {
        guard try stamp(file.name) == file.stamp else { return nil }
        let bytes = try FileFolder(folder).read(file.name.text, limit: limit, followsLinks: false)
        return try stamp(file.name) == file.stamp ? bytes : nil
    }

    /// Stores a new record of a file if it is still the same file.
    ///
    /// Returns `false` if it is not.
    package func renew(_ file: KnownFile) throws(DownloadError) -> Bool {
        guard try stamp(file.name) == file.stamp else { return false }
        try RecordStore.write(file.record, for: path(file.name))
        return true
    }

    /// Records that a file is damaged, although its status has not changed.
    ///
    /// Returns `false` if another file has replaced it in the meantime.
    package func noteDamage(_ file: KnownFile) throws(DownloadError) -> Bool {
        var damaged = file
        // No file has that time, so the record fits none.
        damaged.record.modified = .min
        // If this fails, the next verification finds the damage again.
        return (try? renew(damaged)) ?? true
    }

    /// Removes a file and its record if the file has not changed.
    ///
    /// Returns `false` if there was none. Throws `.fileExists` if somebody has put another file
    /// there.
    package func remove(_ file: KnownFile) throws(DownloadError) -> Bool {
        let path = path(file.name)
        let status = try attempt(.inspect, path) { () throws(Errno) in try path.status() }
        if let status, FileStamp(status) != file.stamp {
            throw DownloadError(
                .fileExists,
                "\(file.name) is not the file of this key, or it has been changed",
                advice: "check the file, then try again"
            )
        }
        var isGone = status == nil
        do throws(Errno) {
            if !isGone { try path.removeFile() }
        } catch .noSuchFileOrDirectory {
            isGone = true
        } catch {
            throw DownloadError(error, while: .remove, path)
        }
        try RecordStore.remove(of: path)
        return !isGone
    }

    /// Returns the size of a file in bytes; `nil` if there is none.
    package func byteCount(_ name: ExactText) throws(DownloadError) -> Int64? {
        let path = path(name)
        return try attempt(.inspect, path) { () throws(Errno) in
            try path.status().flatMap { $0.isRegular ? $0.size : nil }
        }
    }

    /// Returns a candidate for cleaning; `nil` if there is nothing.
    ///
    /// `parts` are the files of one key, which are removed together.
    package func candidate(_ parts: [ExactText], index: Int) -> CleaningPlan.Candidate? {
        // A file that cannot be checked cannot be removed.
        let all = parts.compactMap { try? path($0).status() }.filter(\.isRegular)
        guard !all.isEmpty else { return nil }
        return CleaningPlan.Candidate(index: index, all)
    }

    /// Returns the names that a download of a file uses until it is finished.
    package static func parts(of name: ExactText) -> [ExactText] {
        let paths = DownloadPaths(FilePath(bytes: Array(name.text.utf8)))
        return [paths.partial, paths.checkpoint].map { ExactText($0.string) }
    }

    private func status(_ path: FilePath) throws(DownloadError) -> FileStatus {
        let status = try attempt(.inspect, path) { () throws(Errno) in try path.status() }
        guard let status, status.isRegular else {
            throw DownloadError(.noSuchFileOrDirectory, while: .inspect, path)
        }
        return status
    }
}
