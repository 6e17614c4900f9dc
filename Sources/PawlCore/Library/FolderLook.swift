/// What is told of a library's folder, and what was seen there, until it can be followed.
///
/// Downloads go on meanwhile: what they have touched since it was looked at is looked at again, and nothing
/// else.
package struct FolderLook: Sendable {
    private let told: [FolderChange]
    private var looked: Set<String> = []
    private var found: [String: FoundFile] = [:]

    package init(_ changes: [FolderChange]) { told = changes }

    /// Which names are to be looked at, by what the library knows now; none where it can follow.
    package func missing(for index: LibraryIndex) -> Set<String> {
        index.namesToLookAt(told).union(index.namesBesides(found)).subtracting(looked)
    }

    /// What there is of these names; those that are left out are gone.
    package mutating func saw(_ files: [String: FoundFile], of names: Set<String>) {
        looked.formUnion(names)
        found.merge(files) { _, new in new }
    }

    /// Under these names may be something else by now.
    package mutating func forget(_ names: Set<String>) {
        for name in looked.intersection(names) {
            looked.remove(name)
            found[name] = nil
        }
    }

    /// What the library is to follow.
    package func event(for index: LibraryIndex) -> LibraryIndex.Event {
        // They were looked at, and are not there.
        let gone = index.namesBesides(found)
        return .folderChanged(index.changes(told, found, gone: gone), found)
    }
}
