internal import CPlatform
internal import Glibc
package import PawlCore
package import SystemPackage

/// What is done with files in a folder, by names relative to it.
package struct FileFolder: Hashable, Sendable {
    package let path: FilePath

    /// The folder must be there.
    package init(_ path: FilePath) { self.path = path }

    /// Creates a folder and those above it.
    ///
    /// False where it was there already.
    package func createDirectory(_ name: String) throws(DownloadError) -> Bool {
        let folder = try resolve(name)
        let status = try attempt(.prepareFolder, folder) { () throws(Errno) in
            try folder.targetStatus()
        }
        try FolderPreparation.prepare(folder, mode: 0o700)
        return status == nil
    }

    /// Creates a file that is not there yet, with all of its bytes or not at all.
    package func createFile(_ name: String, _ bytes: [UInt8]) throws(DownloadError) {
        try put(bytes, name) { (draft, file) throws(Errno) in try draft.giveName(file) }
    }

    /// Writes a file anew: whoever reads it meets the old bytes or the new ones.
    package func write(_ bytes: [UInt8], to name: String) throws(DownloadError) {
        try put(bytes, name) { (draft, file) throws(Errno) in try draft.takeName(file) }
    }

    /// All bytes of a file; an error where they are more than `limit`.
    package func read(
        _ name: String,
        limit: Int,
        followsLinks: Bool = true
    ) throws(DownloadError) -> [UInt8] {
        let path = try resolve(name)
        let flags = O_RDONLY | O_NONBLOCK | (followsLinks ? 0 : O_NOFOLLOW)
        let file = try attempt(.inspect, path) { () throws(Errno) in try OpenFile(path, flags) }
        // One more than that tells of a file that grows.
        let bytes = try attempt(.inspect, path) { () throws(Errno) in
            try file.contents(limit: limit == .max ? limit : max(0, limit) + 1)
        }
        guard bytes.count <= limit else {
            throw DownloadError(
                .fileUnreadable,
                "\(name) has more than \(limit) bytes",
                advice: "read it in pieces, or allow more",
                context: "reading \(path)"
            )
        }
        return bytes
    }

    /// How many bytes a file has, or all files below a folder; nil where there is nothing.
    package func size(of name: String) throws(DownloadError) -> Int64? {
        let path = try resolve(name)
        return try attempt(.inspect, path) { () throws(Errno) in
            guard let status = try path.status() else { return nil }
            return status.isDirectory ? try FolderTree.byteCount(of: path) : status.size
        }
    }

    /// How many bytes all files in the folder have, each counted once.
    package func size() throws(DownloadError) -> Int64 {
        try attempt(.inspect, path) { () throws(Errno) in try FolderTree.byteCount(of: path) }
    }

    /// Removes a file, or a folder with all that is in it.
    ///
    /// False where there was nothing.
    package func delete(_ name: String) throws(DownloadError) -> Bool {
        let path = try resolve(name)
        return try attempt(.remove, path) { () throws(Errno) in try FolderTree.remove(path) }
    }

    /// Whether there is anything of that name, a symbolic link that leads nowhere too.
    package func exists(_ name: String) throws(DownloadError) -> Bool {
        let path = try resolve(name)
        return try attempt(.inspect, path) { () throws(Errno) in try path.status() } != nil
    }

    /// The names in the folder, sorted; such as are no UTF-8 are left out.
    package func names() throws(DownloadError) -> [String] {
        let names = try attempt(.inspect, path) { () throws(Errno) in
            try FolderListing.names(in: path)
        }
        return names.compactMap { String(validating: $0, as: UTF8.self) }.sorted()
    }

    /// Notes that a file was used, for a cleaning by last use, where the file system does not note it
    /// by itself.
    package func markUsed(_ name: String) throws(DownloadError) {
        let path = try resolve(name)
        try attempt(.write, path) { () throws(Errno) in
            let times = [
                timespec(tv_sec: 0, tv_nsec: pawl_utime_now),
                timespec(tv_sec: 0, tv_nsec: pawl_utime_omit),
            ]
            try path.systemCall { utimensat(AT_FDCWD, $0, times, AT_SYMLINK_NOFOLLOW) }
        }
    }

    /// The path of a name, which must lie within.
    package func resolve(_ name: String) throws(DownloadError) -> FilePath {
        let relative = name.utf8.contains(0) ? FilePath() : FilePath(name)
        guard !relative.isAbsolute, !relative.components.isEmpty,
            relative.components.allSatisfy({ $0.kind == .regular })
        else {
            throw DownloadError(
                .usage,
                "\(name.isEmpty ? "an empty name" : name) does not name anything in \(path)",
                advice: "give a relative path without . and .."
            )
        }
        return path.appending(relative.components)
    }

    private func put(
        _ bytes: [UInt8],
        _ name: String,
        _ place: (FileDraft, FilePath) throws(Errno) -> Void
    ) throws(DownloadError) {
        let path = try resolve(name)
        try FolderPreparation.prepare(path.folder, mode: 0o700)
        let draft = try attempt(.create, path) { () throws(Errno) in
            try FileDraft(in: path.folder, mode: 0o666)
        }
        try attempt(.write, path) { () throws(Errno) in
            var failure: Errno?
            bytes.withUnsafeBytes { bytes in
                do throws(Errno) { try draft.file.write(bytes, at: 0) } catch { failure = error }
            }
            if let failure { throw failure }
        }
        try attempt(.sync, path) { () throws(Errno) in try draft.file.syncAll() }
        try attempt(.rename, path) { () throws(Errno) in try place(draft, path) }
        try attempt(.sync, path) { () throws(Errno) in try path.folder.syncFolder() }
    }
}
