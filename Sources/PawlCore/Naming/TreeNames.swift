/// Finds a path of its own for each file of a tree that a server describes.
package struct TreeNames: Sendable {
    private struct Folder {
        /// The name on disk; empty for the folder of the whole tree.
        let name: String
        /// The folders in this one by the server's own names for them.
        var folders: [ExactText: Int] = [:]
        /// The names on disk that are taken, each with the number from which a free name is
        /// searched, because those below are taken.
        var taken: [ExactText: Int] = [:]
    }

    /// The most names of a path: with more, no system opens a file at it (Linux allows 4,095 bytes).
    package static let mostNames = 2_048

    /// All folders, that of the whole tree first.
    private var folders = [Folder(name: "")]

    package init() {}

    /// Returns a relative path for a file, with a slash between the names; `nil` if there are no
    /// names, too many, or too many equal ones.
    ///
    /// Each name is cleaned as ``FileName/clean(_:)`` does, so that the path leads to no other
    /// folder. A path that is taken gets a number.
    package mutating func path(of names: [String]) -> String? {
        guard let file = names.last, names.count <= Self.mostNames else { return nil }
        var (folder, path) = (0, "")
        for name in names.dropLast() {
            guard let next = open(name, in: folder) else { return nil }
            path += folders[next].name + "/"
            folder = next
        }
        return take(file, in: folder).map { path + $0 }
    }

    /// Returns the folder for a server's name in another folder.
    private mutating func open(_ name: String, in folder: Int) -> Int? {
        if let known = folders[folder].folders[ExactText(name)] { return known }
        guard let own = take(name, in: folder) else { return nil }
        folders.append(Folder(name: own))
        folders[folder].folders[ExactText(name)] = folders.count - 1
        return folders.count - 1
    }

    /// Takes a free name in a folder for one of the server's.
    private mutating func take(_ name: String, in folder: Int) -> String? {
        let clean = FileName.clean(name) ?? "_"
        let first = folders[folder].taken[ExactText(clean)] ?? 0
        let found = FreeName.search(from: first) { number -> (name: String, number: Int)? in
            let own = FileName.numbered(clean, number)
            return folders[folder].taken[ExactText(own)] == nil ? (own, number) : nil
        }
        guard let found else { return nil }
        folders[folder].taken[ExactText(found.name)] = 1
        folders[folder].taken[ExactText(clean)] = found.number + 1
        return found.name
    }
}
