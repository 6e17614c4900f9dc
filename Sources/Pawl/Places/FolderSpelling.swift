internal import Glibc

/// Finds out which folder a path means, however it is spelled.
package enum FolderSpelling {
    /// Returns the path without symbolic links, `.` and `..`; it blocks.
    ///
    /// Parts that do not exist are resolved by their names alone.
    package static func resolved(_ path: String) -> String {
        if let real = realpath(path.isEmpty ? "." : path, nil) {
            defer { free(real) }
            return String(cString: real)
        }
        var text = Substring(path)
        while text.count > 1, text.hasSuffix("/") { text.removeLast() }
        let slash = text.lastIndex(of: "/")
        let name = slash.map { text[text.index(after: $0)...] } ?? text
        // The working folder does not exist, or the root cannot be read.
        guard !name.isEmpty, slash != nil || name != "." else { return path }
        let parent = resolved(
            slash.map { $0 == text.startIndex ? "/" : String(text[..<$0]) } ?? "."
        )
        switch name {
        case ".": return parent
        case "..": return parent.lastIndex(of: "/").map { String(parent[..<$0]) } ?? parent
        default: return parent.hasSuffix("/") ? parent + name : "\(parent)/\(name)"
        }
    }
}
