internal import PawlStorage
internal import SystemPackage

/// Finds out whether a path still leads to the file that a process has opened there.
package struct OpenedFilePath: Sendable {
    /// What happened to the file at the path.
    package enum Change: String, Sendable { case removed, replaced }

    private let path: FilePath
    /// The opened file; `nil` if the system does not report it.
    private let opened: FileStatus.Identity?

    /// `path`: the path of a file that has just been opened.
    package init(_ path: String) {
        self.path = FilePath(path)
        // Without its identity, no change is noticed.
        opened = try? self.path.status()?.identity
    }

    /// What happened to the file; `nil` if it is still there.
    package var change: Change? {
        guard let opened else { return nil }
        do throws(Errno) {
            guard let found = try path.status()?.identity else { return .removed }
            return found == opened ? nil : .replaced
        } catch {
            // A folder that cannot be searched at the moment does not mean that the file is gone.
            return error == .notDirectory ? .removed : nil
        }
    }
}
