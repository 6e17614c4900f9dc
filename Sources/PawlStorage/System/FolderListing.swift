internal import Glibc
package import SystemPackage

/// Lists the content of a folder.
package enum FolderListing {
    /// Returns all names except `.` and `..`, as bytes, in no particular order.
    ///
    /// If `suffix` is given, it returns only the names with that ending. At most `limit` names are
    /// read, including those with another ending.
    package static func names(
        in folder: FilePath,
        withSuffix suffix: [UInt8] = [],
        limit: Int = .max
    ) throws(Errno) -> [[UInt8]] {
        var stream: OpaquePointer?
        try folder.systemCall {
            stream = opendir($0)
            return stream == nil ? -1 : 0
        }
        guard let stream else { return [] }
        defer { closedir(stream) }
        var names: [[UInt8]] = []
        var count = 0
        while count < limit {
            // This is the only way to tell the end from a failure.
            errno = 0
            guard let entry = readdir(stream) else {
                guard errno == 0 else { throw .last }
                return names
            }
            count += 1
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes -> [UInt8]? in
                let name = bytes.prefix { $0 != 0 }
                return name.suffix(suffix.count).elementsEqual(suffix) ? Array(name) : nil
            }
            if let name, name != Array(".".utf8), name != Array("..".utf8) { names.append(name) }
        }
        return names
    }

    /// Returns the path of each name in the folder.
    package static func entries(of folder: FilePath) throws(Errno) -> [FilePath] {
        try names(in: folder).map { folder.appending(FilePath(bytes: $0).components) }
    }
}
