internal import SystemPackage

/// What the disk was asked to do, for the text of an error and for its code.
package enum DiskAction: Sendable {
    case create, open, read, write, sync, reserve, truncate, rename, remove, lock
    case inspect, prepareFolder, watch

    func text(_ path: FilePath) -> String {
        switch self {
        case .create: "creating \(path)"
        case .open: "opening \(path)"
        case .read, .inspect: "reading \(path)"
        case .write: "writing \(path)"
        case .sync: "syncing \(path)"
        case .reserve: "reserving room for \(path)"
        case .truncate: "shortening \(path)"
        case .rename: "giving the file its name \(path)"
        case .remove: "removing \(path)"
        case .lock: "locking \(path)"
        case .prepareFolder: "preparing the folder \(path)"
        case .watch: "watching the folder \(path)"
        }
    }
}
