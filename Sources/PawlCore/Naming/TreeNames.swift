/// Finds a path of its own for each file and folder of a tree that a server describes.
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

    /// Returns a relative path for a file or a folder, with a slash between the names; `nil` if
    /// there are no names, too many, or too many equal ones.
    ///
    /// Each name is cleaned as ``FileName/clean(_:)`` does, so that the path leads to no other
    /// folder. A path that is taken gets a number. Equal names of a folder always get the same path.
    package mutating func path(of names: [String], isFolder: Bool = false) -> String? {
        take(names, isFolder: isFolder) { FileName.clean($0) ?? "_" }
    }

    /// Returns the names as a relative path; `nil` if one of them needs cleaning, or the path is
    /// taken.
    ///
    /// If it is called for all names of a list first, those that need no cleaning keep theirs.
    package mutating func unchangedPath(of names: [String], isFolder: Bool = false) -> String? {
        guard names.allSatisfy({ FileName.clean($0)?.isExactly($0) == true }),
            isFree(names, isFolder: isFolder)
        else { return nil }
        return take(names, isFolder: isFolder) { $0 }
    }

    /// Whether names that need no cleaning can be taken without a number.
    private func isFree(_ names: [String], isFolder: Bool) -> Bool {
        var folder = 0
        for (index, name) in names.enumerated() {
            let isOfFile = index == names.count - 1 && !isFolder
            guard !isOfFile, let known = folders[folder].folders[ExactText(name)] else {
                return folders[folder].taken[ExactText(name)] == nil
            }
            guard folders[known].name.isExactly(name) else { return false }
            folder = known
        }
        return true
    }

    private mutating func take(
        _ names: [String],
        isFolder: Bool,
        _ clean: (String) -> String
    ) -> String? {
        guard let last = names.last, names.count <= Self.mostNames else { return nil }
        var (folder, path) = (0, "")
        for name in names.dropLast() {
            guard let next = open(name, clean, in: folder) else { return nil }
            path += folders[next].name + "/"
            folder = next
        }
        guard isFolder else { return take(clean(last), in: folder).map { path + $0 } }
        return open(last, clean, in: folder).map { path + folders[$0].name }
    }

    /// Returns the folder for a server's name in another folder.
    private mutating func open(
        _ name: String,
        _ clean: (String) -> String,
        in folder: Int
    ) -> Int? {
        if let known = folders[folder].folders[ExactText(name)] { return known }
        guard let own = take(clean(name), in: folder) else { return nil }
        folders.append(Folder(name: own))
        folders[folder].folders[ExactText(name)] = folders.count - 1
        return folders.count - 1
    }

    /// Takes a free name in a folder for one that is clean.
    private mutating func take(_ clean: String, in folder: Int) -> String? {
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
