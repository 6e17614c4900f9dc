internal import Glibc
package import PawlCore

/// Patterns that decide which files and folders of a tree are wanted.
///
/// A pattern is that of fnmatch(3). Without a slash it is compared with a name, and otherwise name by
/// name with the path below the root, where `**` stands for any number of names. One that ends in a
/// slash is for folders only.
package struct PathFilter: Sendable {
    private let included: [Pattern]
    private let excluded: [Pattern]

    private struct Pattern: Sendable {
        /// The patterns of the names; one for the last name alone if it is not for paths.
        private let names: [String]
        let isForFolders: Bool
        private let isForPaths: Bool

        private static let anyNames = "**"

        init(_ text: String) throws(ValueError) {
            isForFolders = text.isFolderPath
            var body = text[...]
            if isForFolders { body = body.dropLast() }
            isForPaths = body.utf8.contains(UInt8(ascii: "/"))
            names = String(body).pathNames.map(String.init)
            guard !names.isEmpty, !text.utf8.contains(0) else {
                throw ValueError(
                    "'\(text.sanitized)' is not a pattern",
                    advice: "write a pattern such as '*.iso' or 'old/'"
                )
            }
        }

        func matches(_ path: String, isFolder: Bool) -> Bool {
            guard isFolder || !isForFolders else { return false }
            let subject = path.pathNames.map(String.init)
            return isForPaths ? matches(subject) : matches(Array(subject.suffix(1)))
        }

        /// Compares the names one by one; after a difference, the last `**` stands for one name
        /// more.
        private func matches(_ subject: [String]) -> Bool {
            var (index, position) = (0, 0)
            var last: (index: Int, position: Int)?
            while position < subject.count {
                if index < names.count, isForPaths, names[index] == Self.anyNames {
                    last = (index, position)
                    // At the end, it stands for at least one name.
                    if index == names.count - 1 { return true }
                    index += 1
                } else if index < names.count, fnmatch(names[index], subject[position], 0) == 0 {
                    (index, position) = (index + 1, position + 1)
                } else if let earlier = last {
                    last = (earlier.index, earlier.position + 1)
                    (index, position) = (earlier.index + 1, earlier.position + 1)
                } else {
                    return false
                }
            }
            return index == names.count
        }
    }

    /// The filter that wants everything.
    package static let all = PathFilter(included: [], excluded: [])

    private init(included: [Pattern], excluded: [Pattern]) {
        (self.included, self.excluded) = (included, excluded)
    }

    package init(including: [String], excluding: [String]) throws(ValueError) {
        included = try including.map { (text) throws(ValueError) in try Pattern(text) }
        excluded = try excluding.map { (text) throws(ValueError) in try Pattern(text) }
    }

    /// Whether a file is wanted: no pattern excludes it or a folder above it, and if there are
    /// patterns that include, one of them includes it or a folder above it.
    package func wants(_ path: String) -> Bool {
        var folders: [String] = []
        for name in path.pathNames.dropLast() {
            folders.append((folders.last.map { $0 + "/" } ?? "") + name)
        }
        guard !excluded.contains(where: { $0.matches(path, isFolder: false) }),
            folders.allSatisfy(entersExcluding)
        else { return false }
        return included.isEmpty
            || included.contains { pattern in
                pattern.matches(path, isFolder: false)
                    || folders.contains { pattern.matches($0, isFolder: true) }
            }
    }

    /// Whether a folder may contain wanted files.
    package func enters(_ folder: String) -> Bool {
        var path = ""
        for name in folder.pathNames {
            path += (path.isEmpty ? "" : "/") + name
            guard entersExcluding(path) else { return false }
        }
        return true
    }

    private func entersExcluding(_ folder: String) -> Bool {
        !excluded.contains { $0.matches(folder, isFolder: true) }
    }
}
