/// What a watcher's reader was told of a folder, and what is to be looked at for it.
///
/// Names are noted, not changes: however slow the reader is, a name takes its place once, and what it
/// gets is the newest state. Memory is bounded by the files in the folder and `mostNames`; with more to
/// look at, all is looked at.
package struct FolderLedger: Sendable {
    package static let mostNames = 4096

    package enum Work: Hashable, Sendable {
        case nothing
        /// Find out what these names are now.
        case look(Set<String>)
        /// Find out what is in the folder now.
        case rescan
    }

    /// What the reader knows.
    package private(set) var known: FolderComparison.Files
    private var names: Set<String> = []
    private var isRescanDue = false
    private var isOverflowUntold = false

    package init(known: FolderComparison.Files) { self.known = known }

    package var work: Work {
        if isRescanDue { return .rescan }
        return names.isEmpty ? .nothing : .look(names)
    }

    /// Something happened to that name.
    package mutating func noted(_ name: String) {
        guard !isRescanDue else { return }
        names.insert(name)
        if names.count > Self.mostNames { needRescan() }
    }

    /// The system lost changes.
    package mutating func overflowed() {
        isOverflowUntold = true
        needRescan()
    }

    private mutating func needRescan() {
        isRescanDue = true
        names = []
    }

    /// `found`: those of the names that are files now.
    package mutating func looked(
        at names: Set<String>,
        found: FolderComparison.Files
    ) -> [FolderChange] {
        self.names.subtract(names)
        let old = known.filter { names.contains($0.key) }
        for name in names { known[name] = found[name] }
        return FolderComparison.changes(from: old, to: found)
    }

    /// `found`: all files of the folder.
    package mutating func rescanned(found: FolderComparison.Files) -> [FolderChange] {
        defer {
            known = found
            isRescanDue = false
            isOverflowUntold = false
        }
        let changes = FolderComparison.changes(from: known, to: found)
        return (isOverflowUntold ? [.overflowed] : []) + changes
    }
}
