internal import CPlatform
internal import Glibc
package import PawlCore
package import SystemPackage

/// Operations on the files in a folder, by names relative to it.
package struct FileFolder: Hashable, Sendable {
    package let path: FilePath

    /// Creates the value.
    ///
    /// The folder must exist.
    package init(_ path: FilePath) { self.path = path }

    /// Creates a folder and those above it.
    ///
    /// Returns `false` if it existed already.
    package func createDirectory(_ name: String) throws(DownloadError) -> Bool {
        let folder = try resolve(name)
        let status = try attempt(.prepareFolder, folder, folder.targetStatus())
        try FolderPreparation.prepare(folder, mode: 0o700)
        return status == nil
    }

    /// Creates a new file with all of its bytes, or none.
    package func createFile(_ name: String, _ bytes: [UInt8]) throws(DownloadError) {
        try put(bytes, name, .giveName) { (draft, file) throws(Errno) in try draft.giveName(file) }
    }

    /// Writes a file, replacing an existing one.
    ///
    /// A reader sees either the old bytes or the new ones.
    package func write(_ bytes: [UInt8], to name: String) throws(DownloadError) {
        try put(bytes, name, .rename) { (draft, file) throws(Errno) in try draft.takeName(file) }
    }

    /// Reads all bytes of a file.
    ///
    /// Throws if there are more than `limit`.
    package func read(
        _ name: String,
        limit: Int,
        followsLinks: Bool = true
    ) throws(DownloadError) -> [UInt8] {
        let path = try resolve(name)
        let flags = O_RDONLY | O_NONBLOCK | (followsLinks ? 0 : O_NOFOLLOW)
        let file = try attempt(.inspect, path, OpenFile(path, flags))
        // Reading one byte more detects a file that grows.
        let bytes = try attempt(.inspect, path) { () throws(Errno) in
            try file.contents(limit: limit == .max ? limit : max(0, limit) + 1)
        }
        guard bytes.count <= limit else {
            throw DownloadError(
                .fileUnreadable,
                "\(name) has more than \(limit) bytes",
                advice: "read it in pieces, or raise the limit",
                context: "reading \(path)"
            )
        }
        return bytes
    }

    /// Returns the size in bytes of a file, or of all files below a folder; `nil` if there is
    /// nothing.
    package func size(of name: String) throws(DownloadError) -> Int64? {
        let path = try resolve(name)
        return try attempt(.inspect, path) { () throws(Errno) in
            guard let status = try path.status() else { return nil }
            return status.isDirectory ? try FolderTree.byteCount(of: path) : status.size
        }
    }

    /// Returns the size in bytes of all files in the folder, each counted once.
    package func size() throws(DownloadError) -> Int64 {
        try attempt(.inspect, path, FolderTree.byteCount(of: path))
    }

    /// Removes a file, or a folder with its content.
    ///
    /// Returns `false` if there was nothing.
    package func delete(_ name: String) throws(DownloadError) -> Bool {
        let path = try resolve(name)
        return try attempt(.remove, path, FolderTree.remove(path))
    }

    /// Returns whether anything has that name; a symbolic link that leads nowhere counts, too.
    package func exists(_ name: String) throws(DownloadError) -> Bool {
        let path = try resolve(name)
        return try attempt(.inspect, path, path.status()) != nil
    }

    /// Returns the sorted names in the folder.
    ///
    /// Names that are not UTF-8 are left out.
    package func names() throws(DownloadError) -> [String] { try Self.names(in: path) }

    /// Returns the sorted names in a folder of the folder.
    package func names(in name: String) throws(DownloadError) -> [String] {
        try Self.names(in: try resolve(name))
    }

    private static func names(in path: FilePath) throws(DownloadError) -> [String] {
        let names = try attempt(.inspect, path, FolderListing.names(in: path))
        return names.compactMap { String(validating: $0, as: UTF8.self) }.sorted()
    }

    /// Records that a file was used, for cleaning by last use, in case the file system does not
    /// record it.
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

    /// Returns the path of a name, which must be within the folder.
    package func resolve(_ name: String) throws(DownloadError) -> FilePath {
        let relative = name.utf8.contains(0) ? FilePath() : FilePath(name)
        guard !relative.isAbsolute, !relative.components.isEmpty,
            relative.components.allSatisfy({ $0.kind == .regular })
        else {
            throw .usage(
                "\(name.isEmpty ? "an empty name" : name) does not name anything in \(path)",
                advice: "give a relative path without . and .."
            )
        }
        return path.appending(relative.components)
    }

    private func put(
        _ bytes: [UInt8],
        _ name: String,
        _ action: DiskAction,
        _ commit: (FileDraft, FilePath) throws(Errno) -> Void
    ) throws(DownloadError) {
        let path = try resolve(name)
        try FolderPreparation.prepare(path.folder, mode: 0o700)
        let draft = try attempt(.create, path, FileDraft(in: path.folder, mode: 0o666))
        try attempt(.write, path, draft.file.write(bytes))
        try attempt(.sync, path, draft.file.syncAll())
        try attempt(action, path, commit(draft, path))
        try attempt(.sync, path, path.folder.syncFolder())
    }
}
