internal import CPlatform
internal import Glibc
internal import PawlCore
internal import SystemPackage

/// A line in a temporary area that names a partial file outside it which is to be removed with the
/// area.
///
/// It also contains the file's inode number and creation time, because another file may get the
/// same name, or the same inode number once this file is gone.
enum UnfinishedNote {
    private static let suffix = ".unfinished"
    private static let mostBytes = 16 << 10

    /// The identity of a file, which no other file ever has.
    struct Identity {
        let text: String

        init(of file: OpenFile) throws(Errno) {
            let number = try file.status().identity
            text = "\(number.device) \(number.inode) \(pawl_birth_time(file.descriptor))"
        }
    }

    static func path(_ name: String, in area: FilePath) -> FilePath {
        area.appending(name + suffix)
    }

    static func write(
        _ partial: FilePath,
        _ identity: Identity,
        as path: FilePath
    ) throws(Errno) {
        let file = try OpenFile(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, mode: 0o600)
        try file.write(Array("\(identity.text)\n".utf8) + partial.absolute.bytes)
    }

    /// Removes the files named by the notes of an area, unless they are in use.
    ///
    /// A file that cannot be removed stays, which is not an error: the area is removed all the
    /// same.
    static func settle(in area: FilePath) {
        for name in (try? FolderListing.names(in: area)) ?? [] {
            guard let name = String(validating: name, as: UTF8.self), name.hasSuffix(suffix),
                let note = read(area.appending(name)),
                let paths = DownloadPaths(partialOrCheckpoint: note.partial)
            else { continue }
            remove(paths, note.identity)
        }
    }

    private static func read(
        _ path: FilePath
    ) -> (partial: FilePath, identity: String)? {
        // A note that cannot be read is ignored.
        guard let file = try? OpenFile(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK),
            let bytes = try? file.contents(limit: mostBytes),
            let line = bytes.firstIndex(of: UInt8(ascii: "\n"))
        else { return nil }
        let identity = String(decoding: bytes[..<line], as: UTF8.self)
        let partial = FilePath(bytes: Array(bytes[(line + 1)...]))
        return partial.isAbsolute ? (partial, identity) : nil
    }

    private static func remove(_ paths: DownloadPaths, _ identity: String) {
        guard
            let file = try? OpenFile(paths.partial, O_RDWR | O_NOFOLLOW | O_NONBLOCK),
            let found = try? Identity(of: file), found.text == identity,
            (try? FileLock.tryToTake(file)) != .held
        else { return }
        // The order matters: a partial file without a checkpoint would look like another tool's.
        try? paths.partial.removeFile()
        try? paths.checkpoint.removeFile()
    }
}
