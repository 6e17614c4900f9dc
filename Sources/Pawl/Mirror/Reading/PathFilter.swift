internal import Glibc
package import PawlCore

/// Patterns that decide which files and folders of a tree are wanted.
///
/// A pattern is that of fnmatch(3). Without a slash it is compared with a name, and otherwise with
/// the path below the root, where `*` stands for no slash unless there are two. One that ends in a
/// slash is for folders only.
package struct PathFilter: Sendable {
    private let included: [Pattern]
    private let excluded: [Pattern]

    private struct Pattern: Sendable {
        /// The pattern, also without the `**/` that may stand for no folder.
        private let forms: [String]
        let isForFolders: Bool
        let isForPaths: Bool
        let flags: Int32

        init(_ text: String) throws(ValueError) {
            isForFolders = text.isFolderPath
            var body = text[...]
            if isForFolders { body = body.dropLast() }
            isForPaths = body.utf8.contains(UInt8(ascii: "/"))
            if String(body).isAbsolutePath { body = body.dropFirst() }
            guard !body.isEmpty, !text.utf8.contains(0) else {
                throw ValueError(
                    "'\(text.sanitized)' is not a pattern",
                    advice: "write a pattern such as '*.iso' or 'old/'"
                )
            }
            flags = body.contains("**") ? 0 : FNM_PATHNAME
            forms = Self.forms(of: String(body))
        }

        private static let manyFolders = "**/"
        /// The number of `**/` that may stand for no folder.
        private static let mostManyFolders = 4

        private static func forms(of text: String) -> [String] {
            var forms = [""]
            var rest = text[...]
            var count = 0
            while count < mostManyFolders, let range = rest.firstRange(of: manyFolders) {
                let start = rest[..<range.lowerBound]
                forms = forms.flatMap { [$0 + start, $0 + start + manyFolders] }
                rest = rest[range.upperBound...]
                count += 1
            }
            return forms.map { $0 + rest }
        }

        func matches(_ path: String, isFolder: Bool) -> Bool {
            guard isFolder || !isForFolders else { return false }
            let subject = isForPaths ? path : String(path.pathFile)
            return forms.contains { fnmatch($0, subject, flags) == 0 }
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
