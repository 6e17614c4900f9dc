import Glibc

/// All files below a folder.
enum FolderTree {
    /// Paths relative to the folder, of folders with a slash at the end; sorted.
    static func entries(below path: String) -> [String] {
        entries(below: path, prefix: "").sorted()
    }

    private static func entries(below path: String, prefix: String) -> [String] {
        guard let folder = opendir("\(path)/\(prefix)") else { return [] }
        defer { closedir(folder) }
        var found: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard name != ".", name != ".." else { continue }
            if entry.pointee.d_type == UInt8(DT_DIR) {
                found.append("\(prefix)\(name)/")
                found += entries(below: path, prefix: "\(prefix)\(name)/")
            } else {
                found.append(prefix + name)
            }
        }
        return found
    }
}
