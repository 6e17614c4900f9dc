package import PawlCore
package import SystemPackage

extension ExistingFile {
    /// Whether anything has that name.
    package static func isThere(_ path: FilePath) throws(DownloadError) -> Bool {
        let name = try attempt(.create, path) { () throws(Errno) in try path.status() }
        guard name != nil else { return false }
        let target = try attempt(.create, path) { () throws(Errno) in try path.targetStatus() }
        if let target, target.isDirectory {
            throw DownloadError(.isDirectory, while: .create, path)
        }
        return true
    }

    /// The file's size in bytes.
    package static func size(_ path: FilePath) throws(DownloadError) -> Int64 {
        try attempt(.inspect, path) { () throws(Errno) in try path.targetStatus()?.size ?? 0 }
    }
}
