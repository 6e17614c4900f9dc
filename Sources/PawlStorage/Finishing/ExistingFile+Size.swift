package import PawlCore
package import SystemPackage

extension ExistingFile {
    /// Whether anything has that name.
    package static func isThere(_ path: FilePath) throws(DownloadError) -> Bool {
        let status = try attempt(.create, path) { () throws(Errno) in try path.targetStatus() }
        if let status, status.isDirectory {
            throw DownloadError(.isDirectory, while: .create, path)
        }
        if status != nil { return true }
        return try attempt(.create, path) { () throws(Errno) in try path.status() } != nil
    }

    /// The file's size in bytes.
    package static func size(_ path: FilePath) throws(DownloadError) -> Int64 {
        try attempt(.inspect, path) { () throws(Errno) in try path.targetStatus()?.size ?? 0 }
    }
}
