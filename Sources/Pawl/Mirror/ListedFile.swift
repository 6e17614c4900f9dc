package import PawlCore
internal import struct FoundationEssentials.URL

/// A file in the list of a folder, of a bucket, or of URLs.
package struct ListedFile: Hashable, Sendable {
    /// Its URL as it is requested.
    package var address: String
    /// Its path below the local folder.
    package var path: String
    package var facts: ListedFacts?
    /// Digests of the lists of the folders above it; `nil` if it is certainly no folder.
    ///
    /// In a page of links, that of a folder may lack its slash, which the server then adds with a
    /// redirect.
    var lists: [Int]?

    package init(address: String, path: String, facts: ListedFacts? = nil) {
        (self.address, self.path, self.facts) = (address, path, facts)
    }

    /// Returns the folder that it is if the server redirects its requests to a URL.
    func folder(at url: URL) -> ListedFolder? {
        guard let lists else { return nil }
        let (own, other) = (AddressParts(address), AddressParts(url.absoluteString))
        guard own.host?.lowercased() == other.host?.lowercased(),
            !own.path.isFolderPath, other.path == own.path.asFolderPath
        else { return nil }
        var folder = ListedFolder(address: address + "/", path: path)
        folder.lists = lists
        return folder
    }
}

/// A folder on the server.
package struct ListedFolder: Hashable, Sendable {
    /// Its URL as it is requested, which ends in a slash.
    package var address: String
    /// Its path below the local folder; empty for the root.
    package var path: String
    /// Digests of the lists of the folders above it, from which circles are recognized.
    package var lists: [Int] = []

    package init(address: String, path: String = "") {
        (self.address, self.path) = (address, path)
    }

    /// Returns the path of something in this folder.
    func path(of name: String) -> String { path.isEmpty ? name : "\(path)/\(name)" }

    /// Returns a folder in this one.
    func folder(address: String, path: String, list: Int) -> ListedFolder {
        var folder = ListedFolder(address: address, path: path)
        folder.lists = lists + [list]
        return folder
    }
}

/// What the list of a folder contains.
package struct FolderContent: Sendable {
    package var files: [ListedFile] = []
    package var folders: [ListedFolder] = []
    /// The paths of symbolic links and other entries that are not downloaded.
    package var leftOut: [String] = []
    /// Whether the list is certainly complete.
    package var isComplete = true

    package init() {}
}

/// Collects the entries of a list and gives each a local path.
package struct ContentBuilder {
    private struct Entry {
        /// The path below the folder as the server writes it in URLs, with a slash at the end for a
        /// folder.
        let relativePath: String
        var facts: ListedFacts?
        /// Whether it is neither a file nor a folder, such as a symbolic link.
        var isLeftOut = false
        var isFolder: Bool { relativePath.isFolderPath }
        /// The names of its path, decoded.
        var names: [String] { relativePath.pathNames.map { name in name.percentDecoded } }
    }

    private let folder: ListedFolder
    private var entries: [Entry] = []
    private var indices: [ExactText: Int] = [:]
    /// Whether the list has ended as lists do, and all of it was understood.
    var isComplete = true
    /// Whether a file of the list may turn out to be a folder.
    var mayLackSlashes = false

    package init(_ folder: ListedFolder) { self.folder = folder }

    /// Adds a file or a folder; one that is already there only gets missing facts.
    package mutating func add(_ relativePath: String, _ facts: ListedFacts?) {
        let key = ExactText(relativePath.normalizedPercentCoding)
        if let index = indices[key] {
            entries[index].facts = entries[index].facts ?? facts
        } else {
            indices[key] = entries.count
            entries.append(Entry(relativePath: relativePath, facts: facts))
        }
    }

    /// Adds an entry that is not downloaded.
    mutating func leaveOut(_ relativePath: String) {
        entries.append(Entry(relativePath: relativePath, isLeftOut: true))
    }

    var count: Int { entries.count }

    /// A digest of all names and facts.
    private var digest: Int {
        var hasher = Hasher()
        for entry in entries {
            hasher.combine(ExactText(entry.relativePath))
            hasher.combine(entry.facts)
        }
        return hasher.finalize()
    }

    /// The maximum number of folders below each other whose lists are equal.
    private static let mostEqual = 3

    /// Returns the content.
    ///
    /// `address`: the URL to which the paths are relative.
    package func content(below address: String) throws(DownloadError) -> FolderContent {
        let digest = digest
        let above = folder.lists.suffix(Self.mostEqual)
        guard
            entries.isEmpty || above.count < Self.mostEqual
                || above.contains(where: { $0 != digest })
        else {
            throw DownloadError(
                .badResponse,
                "the folder seems to contain itself: the lists of \(Self.mostEqual + 1) folders in a "
                    + "row are equal",
                advice: "\(.leaveOut), or \(.limitDepth)"
            )
        }
        var content = FolderContent()
        content.isComplete = isComplete
        var names = TreeNames()
        var others: [Int] = []
        var perhapsFolders: [Int] = []
        for (index, entry) in entries.enumerated() {
            if mayLackSlashes, isAlsoFolder(entry) {
                perhapsFolders.append(index)
            } else if let path = names.unchangedPath(of: entry.names, isFolder: entry.isFolder) {
                add(entry, path, below: address, digest, to: &content)
            } else {
                others.append(index)
            }
        }
        // The folder keeps the name, because the other entry may prove to be the folder.
        for index in others + perhapsFolders {
            let entry = entries[index]
            guard let path = names.path(of: entry.names, isFolder: entry.isFolder) else {
                content.isComplete = false
                continue
            }
            add(entry, path, below: address, digest, to: &content)
        }
        return content
    }

    /// Whether the list has a folder with the name of an entry.
    private func isAlsoFolder(_ entry: Entry) -> Bool {
        !entry.isFolder
            && indices[ExactText(entry.relativePath.normalizedPercentCoding + "/")] != nil
    }

    private func add(
        _ entry: Entry,
        _ path: String,
        below address: String,
        _ digest: Int,
        to content: inout FolderContent
    ) {
        let full = folder.path(of: path)
        if entry.isLeftOut {
            content.leftOut.append(full)
        } else if entry.isFolder {
            content.folders.append(
                folder.folder(address: address + entry.relativePath, path: full, list: digest)
            )
        } else {
            var file = ListedFile(
                address: address + entry.relativePath,
                path: full,
                facts: entry.facts
            )
            if mayLackSlashes { file.lists = folder.lists + [digest] }
            content.files.append(file)
        }
    }
}
