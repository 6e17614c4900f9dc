internal import Glibc
internal import Pawl
package import PawlCore
internal import Synchronization

/// The folders of downloads, in a file beside the store and independent of it.
///
/// If the store is damaged, the partial files of downloads are searched for in these folders.
package final class FolderRecord: Sendable {
    private let path: String
    private let known: Mutex<Set<ExactText>>

    /// The maximum number of folders.
    private static let mostFolders = 10_000
    /// The maximum number of folders in the file that are no longer needed; beyond it, the file is
    /// rewritten.
    private static let mostOld = 200
    private static let mostBytes = 64 << 20

    /// Reads the file, and adds the folders of these destinations.
    package init(path: String, destinations: [String]) throws(DownloadError) {
        self.path = path
        let noted = Self.read(path)
        let needed = Self.folders(of: destinations)
        known = Mutex(noted)
        guard noted.subtracting(needed).count > Self.mostOld else {
            try note(destinations)
            return
        }
        try Self.replace(path, with: needed)
        known.withLock { $0 = needed }
    }

    /// Returns the folders in a file; none if it cannot be read.
    package static func read(_ path: String) -> Set<ExactText> {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        var (bytes, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 16))
        while bytes.count < mostBytes {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            guard count > 0 else { break }
            bytes += buffer.prefix(count)
        }
        // A last line without an end was cut off by a power cut.
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        return Set(
            lines.dropLast().map { String(decoding: $0, as: UTF8.self).percentDecoded }
                .filter(\.isAbsolutePath).map(spelled)
        )
    }

    /// Adds the folders of destinations; they are on the disk when this returns.
    ///
    /// A destination that ends in a slash is a folder itself.
    package func note(_ destinations: [String]) throws(DownloadError) {
        try known.withLock { (known) throws(DownloadError) in
            let new = Self.folders(of: destinations).subtracting(known)
            guard !new.isEmpty, known.count + new.count <= Self.mostFolders else { return }
            try Self.write(new, to: path, flags: O_APPEND)
            known.formUnion(new)
        }
    }

    private static func folders(of destinations: [String]) -> Set<ExactText> {
        Set(
            destinations.filter { !ObjectAddress.isOne($0) }.map(\.pathFolder)
                .filter { !$0.isEmpty }.map(spelled)
        )
    }

    /// Returns the path of a folder without `.` and repeated slashes, so that the record contains
    /// each folder once.
    private static func spelled(_ folder: String) -> ExactText {
        let names = folder.pathNames.filter { $0 != "." }
        return ExactText(names.isEmpty ? "/" : "/\(names.joined(separator: "/"))/")
    }

    private static func replace(_ path: String, with folders: Set<ExactText>) throws(DownloadError)
    {
        let draft = "\(path).new"
        try write(folders, to: draft, flags: O_TRUNC)
        guard rename(draft, path) == 0 else { throw failure(path) }
    }

    private static func write(
        _ folders: Set<ExactText>,
        to path: String,
        flags: Int32
    ) throws(DownloadError) {
        let isNew = access(path, F_OK) != 0
        let descriptor = open(
            path,
            O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | flags,
            0o600
        )
        guard descriptor >= 0 else { throw failure(path) }
        defer { close(descriptor) }
        // The last line may have been cut off by a power cut, so this one starts on a new line.
        var text = flags == O_APPEND && !isNew ? "\n" : ""
        for folder in folders.map(\.text).sorted() { text += line(folder) }
        let bytes = Array(text.utf8)
        guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count,
            fsync(descriptor) == 0
        else { throw failure(path) }
        if isNew { PrivateFile.syncFolder(of: path) }
    }

    private static func line(_ folder: String) -> String {
        folder.replacingASCII("%", with: "%25").replacingASCII("\n", with: "%0A") + "\n"
    }

    private static func failure(_ path: String) -> DownloadError {
        DownloadError(
            .diskFailure,
            "\(path) cannot be written: \(String(cString: strerror(errno)))",
            advice: "check the permissions of its folder"
        )
    }
}
