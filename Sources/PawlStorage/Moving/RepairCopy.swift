internal import Glibc
package import PawlCore
package import SystemPackage

/// The copy of a damaged file that becomes the partial file of the download that repairs it.
package enum RepairCopy {
    /// Copies a file, or as much of it as a file of that size has.
    ///
    /// It never replaces a file. The copy appears under its name when it is complete.
    package static func make(
        of source: FilePath,
        at target: FilePath,
        size: Int64?,
        onPiece: () throws(DownloadError) -> Void
    ) throws(DownloadError) {
        let file = try attempt(.read, source, OpenFile(source, O_RDONLY | O_NONBLOCK))
        let status = try attempt(.read, source, file.status())
        guard status.isRegular else {
            throw DownloadError(
                .fileUnreadable,
                "\(source) is not a regular file",
                advice: "name a file"
            )
        }
        let draft = try attempt(.create, target) { () throws(Errno) in
            try FileDraft(in: target.folder, mode: 0o600)
        }
        let copy = FileCopy(
            from: file,
            source,
            to: draft.file,
            target,
            methods: FileCopy.Method.allCases
        )
        _ = try copy.run(status, onPiece: onPiece)
        if let size, size < status.size {
            try attempt(.truncate, target, draft.file.truncate(to: size))
        }
        try attempt(.create, target) { () throws(Errno) in try draft.giveName(target) }
    }
}
