package import PawlCore

/// Reported changes of a library's folder, and the state of the files they name, collected until
/// the library can follow them.
///
/// Downloads continue meanwhile. Only the files that they have touched since their last check are
/// checked again.
package struct FolderCheck: Sendable {
    private var told: [FolderChange]
    private var checked: Set<ExactText> = []
    /// The names without a file whose former files were searched under other names.
    private var searched: Set<ExactText> = []
    private var found: [ExactText: FoundFile] = [:]

    package init(_ changes: [FolderChange]) { told = changes }

    /// Returns the names that must be checked first, according to the library's current state;
    /// empty if it can follow.
    package func missing(for index: LibraryIndex) -> Set<ExactText> {
        index.tables.namesToCheck(told).union(index.tables.namesBesides(found)).subtracting(checked)
    }

    /// Records the files found under these names.
    ///
    /// Names without a file are gone.
    package mutating func saw(_ files: [ExactText: FoundFile], of names: Set<ExactText>) {
        checked.formUnion(names)
        found.merge(files) { _, new in new }
    }

    /// Forgets the state of these names, whose files may have changed.
    package mutating func forget(_ names: Set<ExactText>) {
        for name in checked.intersection(names) {
            checked.remove(name)
            searched.remove(name)
            found[name] = nil
        }
    }

    /// Returns the names under which a key's file was reported to be, but no longer is.
    ///
    /// The file may have been renamed since the report.
    package func lost(for index: LibraryIndex) -> Set<ExactText> {
        Set(
            told.compactMap(\.nameOfFile).filter { name in
                checked.contains(name) && found[name] == nil && !searched.contains(name)
                    && index.tables.ownFile(named: name) != nil
            }
        )
    }

    /// Records a search for the files that had these names among all files of the folder.
    package mutating func searched(
        _ names: Set<ExactText>,
        among files: [ExactText: FileStamp],
        for index: LibraryIndex
    ) {
        searched.formUnion(names)
        let newNames = Dictionary(files.map { ($0.value, $0.key) }) { min($0, $1) }
        told = told.map { change in
            guard let name = change.nameOfFile, names.contains(name),
                let file = index.tables.ownFile(named: name), let newName = newNames[file.stamp],
                !LibraryName.isInternal(newName.text)
            else { return change }
            return .renamed(from: name, to: newName)
        }
    }

    /// Returns the event for the library to follow.
    package func event(for index: LibraryIndex) -> LibraryIndex.Event {
        // These names were checked and have no file.
        let gone = index.tables.namesBesides(found)
        return .folderChanged(index.tables.changes(told, found, gone: gone), found)
    }
}

extension FolderChange {
    /// The name under which this change reports a file; `nil` for other changes.
    fileprivate var nameOfFile: ExactText? {
        switch self {
        case .added(let name), .modified(let name): name
        case .renamed, .removed, .overflowed, .ended: nil
        }
    }
}
