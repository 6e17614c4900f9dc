internal import CPlatform
internal import Glibc
package import SystemPackage

/// Renaming without replacing, in the best way that the file system supports.
package enum Renaming {
    package enum Method: CaseIterable {
        /// `renameat2` with `RENAME_NOREPLACE`, in one step.
        case exclusive
        /// A second name is created, then the first one is removed: as safe, in two steps.
        case link
        /// A check, then a plain rename, for file systems (FAT over FUSE) that support neither.
        ///
        /// Two processes that do it at the same moment can still replace each other's file.
        case checkedFirst
    }

    /// Renames a file.
    ///
    /// Throws `.fileExists` if another file has the name, and the error of the last method if none
    /// of them works: a folder in which nothing may be renamed refuses each.
    package static func withoutReplacing(
        _ from: FilePath,
        _ to: FilePath,
        methods: [Method] = Method.allCases
    ) throws(Errno) {
        var refusal = Errno.notSupported
        for method in methods {
            do throws(Errno) {
                return try rename(from, to, by: method)
            } catch  where refusals.contains(error) {
                refusal = error
            }
        }
        throw refusal
    }

    /// The errors after which another method may work.
    private static let refusals: Set<Errno> = [
        .invalidArgument, .noFunction, .notSupportedOnSocket, .notPermitted, .tooManyLinks,
    ]

    static func replacing(_ from: FilePath, _ to: FilePath) throws(Errno) {
        try from.systemCall(to) { Glibc.rename($0, $1) }
    }

    private static func rename(
        _ from: FilePath,
        _ to: FilePath,
        by method: Method
    ) throws(Errno) {
        switch method {
        case .exclusive:
            try from.systemCall(to) {
                pawl_renameat2(AT_FDCWD, $0, AT_FDCWD, $1, UInt32(PAWL_RENAME_NOREPLACE))
            }
        case .link:
            try from.systemCall(to) { Glibc.link($0, $1) }
            do throws(Errno) {
                try from.removeFile()
            } catch {
                // Otherwise a failed renaming would leave two names, and the next method a third.
                try? to.removeFile()
                throw error
            }
        case .checkedFirst:
            guard try to.status() == nil else { throw .fileExists }
            try replacing(from, to)
        }
    }
}
