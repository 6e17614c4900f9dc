internal import Glibc
package import PawlCore
package import SystemPackage

/// Prepares the folder of a download.
package enum FolderPreparation {
    /// Creates the folder and its missing parents, and checks before anything is fetched whether
    /// files can be created in it.
    ///
    /// `mode` is for created folders.
    package static func prepare(
        _ folder: FilePath,
        mode: UInt32 = 0o777
    ) throws(DownloadError) {
        let folder: FilePath = folder.isEmpty ? "." : folder
        guard folder.isAbsolute || hasCurrentFolder else { throw .currentFolderRemoved() }
        try attempt(.prepareFolder, folder) { () throws(Errno) in
            try create(folder, mode_t(mode))
            try folder.systemCall { access($0, W_OK | X_OK) }
        }
    }

    /// Whether both paths lead to the same folder.
    package static func isSame(_ one: FilePath, _ other: FilePath) throws(DownloadError) -> Bool {
        try attempt(.inspect, one) { () throws(Errno) in
            guard let status = try one.targetStatus() else { return false }
            return try other.targetStatus()?.identity == status.identity
        }
    }

    /// The kernel still opens a current folder that was removed, but creates nothing in it.
    private static var hasCurrentFolder: Bool {
        // A folder that is only outside this process's root has no path either.
        (try? FilePath(".").targetStatus())?.linkCount != 0
    }

    private static func create(_ folder: FilePath, _ mode: mode_t) throws(Errno) {
        var missing: [FilePath] = []
        var current = folder
        while try !isDirectory(current) {
            missing.append(current)
            let parent = current.folder
            guard parent != current else { throw .noSuchFileOrDirectory }
            current = parent
        }
        for folder in missing.reversed() {
            do throws(Errno) {
                try folder.systemCall { mkdir($0, mode) }
            } catch .fileExists {
                // Another process was faster. What it created must be a directory all the same.
                guard try isDirectory(folder) else { throw .notDirectory }
            }
            // If a power cut destroys the folder's entry, the next run creates the folder again.
            try? folder.folder.syncFolder()
        }
    }

    private static func isDirectory(_ path: FilePath) throws(Errno) -> Bool {
        guard let status = try path.targetStatus() else { return false }
        guard status.isDirectory else { throw .notDirectory }
        return true
    }
}
