internal import CPlatform
internal import Glibc
internal import SystemPackage

extension Errno {
    /// What the last call on this thread said.
    static var last: Errno { Errno(rawValue: errno) }
}

/// Calls again where a signal came in between.
@discardableResult
func retrying(_ call: () -> Int32) throws(Errno) -> Int32 {
    while true {
        let result = call()
        if result >= 0 { return result }
        if errno != EINTR { throw .last }
    }
}

/// `FilePath` has a `stat` of its own, which hides the system's.
private func followingStatus(_ path: UnsafePointer<CChar>, _ status: inout stat) -> Int32 {
    stat(path, &status)
}

extension FilePath {
    @discardableResult
    func systemCall(_ call: (UnsafePointer<CChar>) -> Int32) throws(Errno) -> Int32 {
        while true {
            // The number is read at once: what runs after the closure may change it.
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

    /// Of the name itself: a symbolic link is not followed.
    ///
    /// Nil where there is nothing.
    func status() throws(Errno) -> FileStatus? {
        try FileStatus.find { (status) throws(Errno) in try systemCall { lstat($0, &status) } }
    }

    /// Of what the path leads to: symbolic links are followed.
    ///
    /// Nil where there is nothing.
    func targetStatus() throws(Errno) -> FileStatus? {
        try FileStatus.find { (status) throws(Errno) in
            try systemCall { followingStatus($0, &status) }
        }
    }

    func removeFile() throws(Errno) {
        try systemCall { unlink($0) }
    }

    /// Makes the folder's entries durable.
    ///
    /// File systems that cannot sync a folder, and folders that may be used but not read, are let
    /// pass: nothing more can be done there.
    func syncFolder() throws(Errno) {
        do throws(Errno) {
            let folder = try OpenFile(self, O_RDONLY | O_DIRECTORY)
            try folder.syncAll()
        } catch .invalidArgument, .permissionDenied, .notSupportedOnSocket {
            return
        }
    }
}
