/// Finds a path of its own for each file of a tree that a server describes.
package struct TreeNames: Sendable {
    private enum Kind { case file, folder }

    private var taken: [ExactText: Kind] = [:]
    /// The paths of folders by the server's own names for them.
    private var folders: [ExactText: String] = [:]
    /// The number from which a free name is searched, because those below are taken.
    private var numbers: [ExactText: Int] = [:]

    package init() {}

    /// Returns a relative path for a file, with a slash between the names; `nil` if there are no
    /// names, or too many equal ones.
    ///
    /// Each name is cleaned as ``FileName/clean(_:)`` does, so that the path leads to no other
    /// folder. A path that is taken gets a number.
    package mutating func path(of names: [String]) -> String? {
        guard let file = names.last else { return nil }
        var (folder, own) = ("", "")
        for name in names.dropLast() {
            own += name + "/"
            if let known = folders[ExactText(own)] {
                folder = known
                continue
            }
            guard let path = take(name, in: folder, as: .folder) else { return nil }
            folder = path + "/"
            folders[ExactText(own)] = folder
        }
        return take(file, in: folder, as: .file)
    }

    private mutating func take(_ name: String, in folder: String, as kind: Kind) -> String? {
        let clean = folder + (FileName.clean(name) ?? "_")
        let parent = clean.pathFolder
        let start = parent.isEmpty ? "" : parent.asFolderPath
        let first = numbers[ExactText(clean)] ?? 0
        let found = FreeName.search(from: first) { number -> (path: String, number: Int)? in
            let path = start + FileName.numbered(String(clean.pathFile), number)
            return taken[ExactText(path)] == nil ? (path, number) : nil
        }
        guard let found else { return nil }
        numbers[ExactText(clean)] = found.number + 1
        taken[ExactText(found.path)] = kind
        return found.path
    }
}
