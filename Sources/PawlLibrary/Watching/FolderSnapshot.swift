internal import Glibc
package import PawlCore
internal import PawlStorage
package import SystemPackage

/// Reads the regular files of a folder at one moment.
package enum FolderSnapshot {
    /// Returns all files.
    ///
    /// Files that disappear meanwhile are left out.
    package static func take(_ folder: FilePath) throws(Errno) -> [String: FileStamp] {
        let names = try FolderListing.names(in: folder)
        return try check(names.compactMap { String(validating: $0, as: UTF8.self) }, in: folder)
    }

    /// Returns those of the names that are files.
    static func check(
        _ names: some Sequence<String>,
        in folder: FilePath
    ) throws(Errno) -> [String: FileStamp] {
        var files: [String: FileStamp] = [:]
        for name in names {
            // `FilePath.appending` is not used, because it parses its text, and this is a name.
            let path = FilePath(bytes: folder.bytes + [UInt8(ascii: "/")] + Array(name.utf8))
            guard let status = try path.status(), status.isRegular else { continue }
            files[name] = FileStamp(status)
        }
        return files
    }
}
