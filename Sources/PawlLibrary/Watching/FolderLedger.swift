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
    private var isRescanDue = false
    private var isOverflowUntold = false

    package init(known: FolderComparison.Files) { self.known = known }

    package var work: Work {
        if isRescanDue { return .rescan }
        return names.isEmpty ? .nothing : .check(names)
    }

    /// Records that something happened to a name.
    package mutating func noted(_ name: ExactText) {
        guard !isRescanDue else { return }
        names.insert(name)
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
    }

    /// Takes the result of a check.
    ///
    /// `found` are those of the names that are files now.
    package mutating func checked(
        _ names: Set<ExactText>,
        found: FolderComparison.Files
    ) -> [FolderChange] {
        self.names.subtract(names)
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
