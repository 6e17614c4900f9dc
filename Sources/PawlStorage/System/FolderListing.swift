internal import Glibc
package import SystemPackage

/// Lists the content of a folder.
package enum FolderListing {
    /// Returns all names except `.` and `..`, as bytes, in no particular order.
    package static func names(in folder: FilePath) throws(Errno) -> [[UInt8]] {
        var stream: OpaquePointer?
        try folder.systemCall {
            stream = opendir($0)
            return stream == nil ? -1 : 0
        }
        guard let stream else { return [] }
        defer { closedir(stream) }
        var names: [[UInt8]] = []
        while true {
            // This is the only way to tell the end from a failure.
            errno = 0
            guard let entry = readdir(stream) else {
                guard errno == 0 else { throw .last }
                return names
            }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            if name != Array(".".utf8), name != Array("..".utf8) { names.append(name) }
        }
    }

    /// Returns the path of each name in the folder.
    package static func entries(of folder: FilePath) throws(Errno) -> [FilePath] {
        try names(in: folder).map { folder.appending(FilePath(bytes: $0).components) }
    }
}
