package import PawlCore

/// What the reader of a watcher was told about a folder, and what must be checked for it.
///
/// It stores names, not changes: however slow the reader is, each name is stored once, and the
/// reader gets the newest state. Memory is bounded by the number of files in the folder and
/// `mostNames`; with more names to check, the whole folder is checked.
package struct FolderLedger: Sendable {
    package static let mostNames = 4096

    package enum Work: Hashable, Sendable {
        case nothing
        /// Check the files of these names.
        case check(Set<ExactText>)
        /// Check all files of the folder.
        case rescan
    }

    /// The state that the reader knows.
    package private(set) var known: FolderComparison.Files
    private var names: Set<ExactText> = []
    /// Those of the names that, by the last event that was read, their file has left.
    private var departed: Set<ExactText> = []
    private var isRescanDue = false
    private var isOverflowUntold = false

    package init(known: FolderComparison.Files) { self.known = known }

    package var work: Work {
        if isRescanDue { return .rescan }
        return names.isEmpty ? .nothing : .check(names)
    }

    /// Records that something happened to a name.
    ///
    /// `isDeparture`: the file was removed or renamed.
    package mutating func noted(_ name: ExactText, isDeparture: Bool = false) {
        guard !isRescanDue else { return }
        names.insert(name)
        if isDeparture { departed.insert(name) } else { departed.remove(name) }
        if names.count > Self.mostNames { needRescan() }
    }

    /// Records that the system lost changes.
    package mutating func overflowed() {
        isOverflowUntold = true
        needRescan()
    }

    private mutating func needRescan() {
        isRescanDue = true
        names = []
        departed = []
    }

    /// Whether the events that were read say of each file that a check missed that it has left.
    ///
    /// Otherwise, the file left after the events were read. Those of its departure are still to come;
    /// they show whether it was removed or has another name now.
    package func explains(_ names: Set<ExactText>, found: FolderComparison.Files) -> Bool {
        names.allSatisfy { known[$0] == nil || found[$0] != nil || departed.contains($0) }
    }

    /// Takes the result of a check.
    ///
    /// `found` are those of the names that are files now.
    package mutating func checked(
        _ names: Set<ExactText>,
        found: FolderComparison.Files
    ) -> [FolderChange] {
        self.names.subtract(names)
        departed.subtract(names)
        var old: FolderComparison.Files = [:]
        for name in names {
            old[name] = known[name]
            known[name] = found[name]
        }
        return FolderComparison.changes(from: old, to: found)
    }

    /// Takes the result of a full check.
    ///
    /// `found` are all files of the folder.
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
