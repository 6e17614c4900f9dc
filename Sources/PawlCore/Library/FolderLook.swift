/// Reported changes of a library's folder, and the state of the files they name, collected until
/// the library can follow them.
///
/// Downloads continue meanwhile. Only the files that they have touched since their last check are
/// checked again.
package struct FolderLook: Sendable {
    private let told: [FolderChange]
    private var looked: Set<String> = []
    private var found: [String: FoundFile] = [:]

    package init(_ changes: [FolderChange]) { told = changes }

    /// Returns the names that must be checked first, according to the library's current state;
    /// empty if it can follow.
    package func missing(for index: LibraryIndex) -> Set<String> {
        index.namesToLookAt(told).union(index.namesBesides(found)).subtracting(looked)
    }

    /// Records the files found under these names.
    ///
    /// Names without a file are gone.
    package mutating func saw(_ files: [String: FoundFile], of names: Set<String>) {
        looked.formUnion(names)
        found.merge(files) { _, new in new }
    }

    /// Forgets the state of these names, whose files may have changed.
    package mutating func forget(_ names: Set<String>) {
        for name in looked.intersection(names) {
            looked.remove(name)
            found[name] = nil
        }
    }

    /// Returns the event for the library to follow.
    package func event(for index: LibraryIndex) -> LibraryIndex.Event {
        // These names were checked and have no file.
        let gone = index.namesBesides(found)
        return .folderChanged(index.changes(told, found, gone: gone), found)
    }
}
