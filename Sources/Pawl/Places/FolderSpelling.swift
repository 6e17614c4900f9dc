internal import Glibc
internal import SystemPackage

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
        let spelled = FilePath(path)
        // The working folder does not exist, or the root cannot be read.
        guard let name = spelled.lastComponent, spelled != "." else {
            return path.isEmpty ? "." : path
        }
        let parent = FilePath(resolved(spelled.removingLastComponent().string))
        return switch name.kind {
        case .currentDirectory: parent.string
        case .parentDirectory: parent.removingLastComponent().string
        case .regular: parent.appending(name).string
        }
    }
}
