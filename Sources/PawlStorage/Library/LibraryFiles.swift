internal import Glibc
package import PawlCore
package import SystemPackage

/// What a library does with the files in its folder; it blocks.
package struct LibraryFiles: Sendable {
    package let folder: FilePath

    package init(_ folder: FilePath) { self.folder = folder }

    package func path(_ name: String) -> FilePath {
        FilePath(bytes: folder.bytes + [UInt8(ascii: "/")] + Array(name.utf8))
    }

    /// Keeps what is known of a file that has just been finished, and says what it is now.
    ///
    /// `record`: all but what the disk knows. Without a digest it is read, where that is wanted.
    package func note(
        _ record: FileRecord,
        on name: String,
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
            "\(name) is changed by another program just after it was finished",
            advice: "ask again when nobody writes to it"
        )
    }

    /// Writes a file in place of `old`, as long as that is what it was; else under the first free name of
    /// `name` and its numbers.
    ///
    /// Returns the name. What somebody else has put there is never replaced.
    package func write(
        _ bytes: [UInt8],
        to name: String,
        replacing old: KnownFile?
    ) throws(DownloadError) -> String {
        let folder = FileFolder(folder)
        if let old, try stamp(old.name) == old.stamp {
            try folder.write(bytes, to: old.name)
            return old.name
        }
        for number in 0..<10_000 {
            let name = number == 0 ? name : FileName.numbered(name, number)
            guard try !folder.exists(name) else { continue }
            do throws(DownloadError) {
                try folder.createFile(name, bytes)
            } catch  where error.code == .fileExists {
                continue
            }
            return name
        }
        throw DownloadError(.fileExists, while: .create, path(name))
    }

    /// What is under that name; nil where there is no file.
    package func stamp(_ name: String) throws(DownloadError) -> FileStamp? {
        let path = path(name)
        return try attempt(.inspect, path) { () throws(Errno) in
            try path.status().flatMap { $0.isRegular ? FileStamp($0) : nil }
        }
    }

    /// The name of the file that had this status; nil where there is none.
    package func name(of stamp: FileStamp) throws(DownloadError) -> String? {
        try LibraryScan(folder).stamps().first { name, found in
            found == stamp && !LibraryName.isInternal(name)
        }?.key
    }

    /// The file of that name where its record fits it.
    package func known(_ name: String) throws(DownloadError) -> KnownFile? {
        guard let found = try LibraryScan(folder).look(at: [name])[name],
            let record = found.fittingRecord
        else { return nil }
        return KnownFile(name: name, record: record, stamp: found.stamp)
    }

    /// The key's file, which is under one of these names, where its record fits it.
    package func known(
        _ key: StorageKey,
        among names: [String]
    ) throws(DownloadError) -> KnownFile? {
        for name in names {
            if let file = try known(name), file.record.key == key { return file }
        }
        return nil
    }

    /// Whether a download of the key may have that name: neither a file nor what another's download has
    /// left is there.
    package func isFree(_ name: String, for key: StorageKey) throws(DownloadError) -> Bool {
        guard try !FileFolder(folder).exists(name) else { return false }
        return KeyMark.isPossible(key, on: DownloadPaths(path(name)).partial)
    }

    /// Whether a finished file is what a download of that key has made.
    package func isOwn(_ name: String, _ key: StorageKey) -> Bool {
        if let stored = RecordStore.stored(for: path(name)) { return stored.key == key }
        return KeyMark.key(on: path(name)) == key
    }

    /// All bytes of a file, as long as it is what is known of it; nil where it is not.
    package func read(_ file: KnownFile, limit: Int) throws(DownloadError) -> [UInt8]? {
        guard try stamp(file.name) == file.stamp else { return nil }
        let bytes = try FileFolder(folder).read(file.name, limit: limit, followsLinks: false)
        return try stamp(file.name) == file.stamp ? bytes : nil
    }

    /// Keeps on disk what a look at a file has found, as long as it is the same file.
    ///
    /// False where it is not.
    package func renew(_ file: KnownFile) throws(DownloadError) -> Bool {
        guard try stamp(file.name) == file.stamp else { return false }
        try RecordStore.write(file.record, for: path(file.name))
        return true
    }

    /// Keeps on disk that a file is not what was fetched, though nothing else tells of it.
    ///
    /// False where there is another file meanwhile.
    package func noteDamage(_ file: KnownFile) throws(DownloadError) -> Bool {
        var damaged = file
        // No file has that time: the record fits none.
        damaged.record.modified = .min
        // Without it the next verification finds it again.
        return (try? renew(damaged)) ?? true
    }

    /// Removes a file, as long as it is what is known of it, and what is kept of it.
    ///
    /// False where there was none. Throws `.fileExists` where somebody has put something else there.
    package func remove(_ file: KnownFile) throws(DownloadError) -> Bool {
        let path = path(file.name)
        let status = try attempt(.inspect, path) { () throws(Errno) in try path.status() }
        if let status, FileStamp(status) != file.stamp {
            throw DownloadError(
                .fileExists,
                "\(file.name) is another file than the key's, or was written to",
                advice: "look at it, and ask again"
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

    /// How many bytes a file has; nil where there is none.
    package func byteCount(_ name: String) throws(DownloadError) -> Int64? {
        let path = path(name)
        return try attempt(.inspect, path) { () throws(Errno) in
            try path.status().flatMap { $0.isRegular ? $0.size : nil }
        }
    }

    /// What a cleaning is to decide on; nil where there is nothing.
    ///
    /// `parts`: the files of one key, that go together.
    package func candidate(_ parts: [String], index: Int) -> CleaningPlan.Candidate? {
        // What cannot be looked at cannot be cleaned.
        let all = parts.compactMap { try? path($0).status() }.filter(\.isRegular)
        guard !all.isEmpty else { return nil }
        return CleaningPlan.Candidate(
            index: index,
            bytes: all.reduce(0) { $0 + $1.size },
            reclaimableBytes: all.reduce(0) { $0 + ($1.linkCount == 1 ? $1.allocated : 0) },
            lastUsed: all.map { max($0.accessedNanoseconds, $0.modifiedNanoseconds) }.max() ?? 0
        )
    }

    /// The names that a download of a file has until it is finished.
    package static func parts(of name: String) -> [String] {
        let paths = DownloadPaths(FilePath(bytes: Array(name.utf8)))
        return [paths.partial.string, paths.checkpoint.string]
    }

    private func status(_ path: FilePath) throws(DownloadError) -> FileStatus {
        let status = try attempt(.inspect, path) { () throws(Errno) in try path.status() }
        guard let status, status.isRegular else {
            throw DownloadError(.noSuchFileOrDirectory, while: .inspect, path)
        }
        return status
    }
}
