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

    /// Writes a file anew, or one of that name with a number where another has the name; returns the
    /// name.
    package func write(
        _ bytes: [UInt8],
        to name: String,
        replacing: Bool
    ) throws(DownloadError) -> String {
        let folder = FileFolder(folder)
        guard !replacing else {
            try folder.write(bytes, to: name)
            return name
        }
        for number in 0..<10_000 {
            let name = number == 0 ? name : FileName.numbered(name, number)
            guard try !folder.exists(name) else { continue }
            try folder.createFile(name, bytes)
            return name
        }
        throw DownloadError(.fileExists, while: .create, path(name))
    }

    /// The file of that name where its record fits it.
    package func known(_ name: String) throws(DownloadError) -> KnownFile? {
        guard let found = try LibraryScan(folder).look(at: [name])[name],
            let record = found.fittingRecord
        else { return nil }
        return KnownFile(name: name, record: record, stamp: found.stamp)
    }

    /// Keeps on disk that a file is not what was fetched, though nothing else tells of it.
    package func noteDamage(_ file: KnownFile) {
        var record = file.record
        // No file has that time: the record fits none.
        record.modified = .min
        // Without it the next verification finds it again.
        _ = try? RecordStore.write(record, for: path(file.name))
    }

    /// Removes a file and what is kept of it.
    ///
    /// False where there was none.
    package func remove(_ name: String) throws(DownloadError) -> Bool {
        let path = path(name)
        var isGone = false
        do throws(Errno) {
            try path.removeFile()
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
