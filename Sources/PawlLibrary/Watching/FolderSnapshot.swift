internal import Glibc
package import PawlCore
internal import PawlStorage
package import SystemPackage

/// Reads the regular files of a folder at one moment.
package enum FolderSnapshot {
    /// Returns all files.
    ///
    /// Files that disappear meanwhile are left out.
    package static func take(_ folder: FilePath) throws(Errno) -> [ExactText: FileStamp] {
        let names = try FolderListing.names(in: folder)
        let texts = names.compactMap { String(validating: $0, as: UTF8.self) }
        return try check(texts.map { ExactText($0) }, in: folder)
    }

    /// Returns those of the names that are files.
    static func check(
        _ names: some Sequence<ExactText>,
        in folder: FilePath
    ) throws(Errno) -> [ExactText: FileStamp] {
        var files: [ExactText: FileStamp] = [:]
        for name in names {
            guard let status = try folder.file(named: name).status(), status.isRegular else {
                continue
            }
            files[name] = FileStamp(status)
        }
        return files
    }
}
