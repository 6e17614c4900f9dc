package import SystemPackage

/// A disk operation, which determines the text and the code of an error.
package enum DiskAction: Sendable {
    case create, open, read, write, sync, reserve, truncate, rename, remove, lock
    case inspect, prepareFolder, watch
    /// Creating a partial file, which has no name yet, in a folder.
    case createPartial
    /// Giving a new file of the program its name, which must be free.
    case giveName

    package func text(_ path: FilePath) -> String {
        switch self {
        case .create: "creating \(path)"
        case .open: "opening \(path)"
        case .read, .inspect: "reading \(path)"
        case .write: "writing \(path)"
        case .sync: "syncing \(path)"
        case .reserve: "reserving space for \(path)"
        case .truncate: "shortening \(path)"
        case .rename, .giveName: "renaming the file to \(path)"
        case .remove: "removing \(path)"
        case .lock: "locking \(path)"
        case .prepareFolder: "preparing the folder \(path)"
        case .createPartial: "creating a partial file in \(path)"
        case .watch: "watching the folder \(path)"
        }
    }

    /// Whether the path is that of a folder.
    private var isOfFolder: Bool {
        switch self {
        case .prepareFolder, .watch, .createPartial: true
        case .create, .open, .read, .write, .sync, .reserve, .truncate, .rename, .remove, .lock,
            .inspect, .giveName:
            false
        }
    }

    /// Returns the name of the file in messages; for a folder, its path, because many folders have
    /// the same name.
    func subject(_ path: FilePath) -> String {
        guard isOfFolder else { return path.lastComponent?.string ?? path.string }
        return path == "." ? "the current folder" : path.string
    }

    /// Returns the folder in which the operation takes place.
    func folder(of path: FilePath) -> FilePath { isOfFolder ? path : path.folder }
}
