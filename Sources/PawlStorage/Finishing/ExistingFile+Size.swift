internal import Glibc
package import PawlCore
package import SystemPackage

extension ExistingFile {
    /// Whether anything has that name.
    package static func isThere(_ path: FilePath) throws(DownloadError) -> Bool {
        let name = try attempt(.create, path) { () throws(Errno) in try path.status() }
        guard name != nil else { return false }
        let target = try attempt(.create, path) { () throws(Errno) in try path.targetStatus() }
        try checkKind(target, path)
        return true
    }

    /// Throws for a folder, a device, a pipe or a socket, which may not be replaced and beside
    /// which no file is created.
    static func checkKind(_ status: FileStatus?, _ path: FilePath) throws(DownloadError) {
        guard let status, !status.isRegular else { return }
        if status.isDirectory { throw DownloadError(.isDirectory, while: .create, path) }
        throw DownloadError(
            .fileNotCreatable,
            "\(path) is a device, a pipe or a socket instead of a file",
            advice: "choose another name with --output or --directory"
        )
    }

    /// Whether a file has these bytes at that offset.
    package static func has(
        _ bytes: [UInt8],
        at offset: Int64,
        _ path: FilePath
    ) throws(DownloadError) -> Bool {
        try attempt(.inspect, path) { () throws(Errno) in
            let file = try OpenFile(path, O_RDONLY | O_NONBLOCK)
            var found = [UInt8](repeating: 0, count: bytes.count)
            return try file.read(into: &found, at: offset) == bytes.count && found == bytes
        }
    }

    /// Returns the file's size in bytes.
    package static func size(_ path: FilePath) throws(DownloadError) -> Int64 {
        try attempt(.inspect, path) { () throws(Errno) in try path.targetStatus()?.size ?? 0 }
    }
}
