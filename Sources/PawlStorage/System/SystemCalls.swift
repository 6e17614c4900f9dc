internal import CPlatform
internal import Glibc
package import SystemPackage

extension Errno {
    /// The error of the last call on this thread.
    package static var last: Errno { Errno(rawValue: errno) }
}

/// Repeats the call if a signal interrupted it.
@discardableResult
func retrying(_ call: () -> Int32) throws(Errno) -> Int32 {
    while true {
        let result = call()
        if result >= 0 { return result }
        if errno != EINTR { throw .last }
    }
}

/// Calls the system's `stat`, which `FilePath`'s own `stat` hides.
private func followingStatus(_ path: UnsafePointer<CChar>, _ status: inout stat) -> Int32 {
    stat(path, &status)
}

extension FilePath {
    @discardableResult
    package func systemCall(_ call: (UnsafePointer<CChar>) -> Int32) throws(Errno) -> Int32 {
        while true {
            // The number is read at once, because code after the closure may change it.
            let (result, number) = withPlatformString { path in
                let result = call(path)
                return (result, result < 0 ? errno : 0)
            }
            if result >= 0 { return result }
            if number != EINTR { throw Errno(rawValue: number) }
        }
    }

    @discardableResult
    func systemCall(
        _ other: FilePath,
        _ call: (UnsafePointer<CChar>, UnsafePointer<CChar>) -> Int32
    ) throws(Errno) -> Int32 {
        try systemCall { first in other.withPlatformString { second in call(first, second) } }
    }

    /// Returns the status of the name itself, without following a symbolic link.
    ///
    /// It is `nil` if nothing exists.
    package func status() throws(Errno) -> FileStatus? {
        try FileStatus.find { (status) throws(Errno) in try systemCall { lstat($0, &status) } }
    }

    /// Returns the status of the target, following symbolic links.
    ///
    /// It is `nil` if nothing exists.
    package func targetStatus() throws(Errno) -> FileStatus? {
        try FileStatus.find { (status) throws(Errno) in
            try systemCall { followingStatus($0, &status) }
        }
    }

    package func removeFile() throws(Errno) {
        try systemCall { unlink($0) }
    }

    /// Makes the folder's entries durable.
    ///
    /// If the file system cannot sync a folder, or the folder may be used but not read, this does
    /// nothing: nothing more is possible then.
    package func syncFolder() throws(Errno) {
        do throws(Errno) {
            let folder = try OpenFile(self, O_RDONLY | O_DIRECTORY)
            try folder.syncAll()
        } catch .invalidArgument, .permissionDenied, .notSupportedOnSocket {
            return
        }
    }
}
