package import PawlCore
internal import struct FoundationEssentials.URL

/// Takes what the walk through a tree finds.
package protocol TreeVisiting: Sendable {
    /// Returns the work that a file needs; `nil` if it needs none.
    func work(for file: ListedFile) -> FileWork?
    /// Waits until few files wait for their turn; returns `false` if the task was cancelled before.
    func waitForRoom() async -> Bool
    /// Notes that a folder was listed.
    func listed(_ content: FolderContent, of folder: ListedFolder)
    /// Notes that the server redirects the root to another folder.
    func redirected(to address: String)
    /// Notes that a folder could not be listed completely.
    func failed(_ folder: ListedFolder, _ error: DownloadError)
    /// Notes that `robots.txt` forbids a path.
    func disallowed(_ path: String)
}

/// Takes a file; returns the folder that it turned out to be.
package typealias FileWork = @Sendable () async -> ListedFolder?

/// Visits the folders of a tree, several at a time, and passes on their files.
package struct TreeWalk: Sendable {
    /// The number of folders that are listed, or whose files are taken, at the same time.
    private static let mostFolders = 8
    /// The number of files of one folder that are taken at the same time.
    private static let mostFiles = 32
    /// The number of folders below each other at which the walk ends if the user sets no limit.
    private static let mostLevels = 64

    private let root: ListedFolder
    private let lister: FolderLister
    private let visitor: any TreeVisiting
    /// The number of names in the longest path; 1 for the files of the root alone.
    package var depth: Int?
    package var filter = PathFilter.all
    package var obeysRobots = true

    package init(_ root: ListedFolder, _ lister: FolderLister, _ visitor: any TreeVisiting) {
        (self.root, self.lister, self.visitor) = (root, lister, visitor)
    }

    /// The tree as its server has confirmed it.
    private struct Tree {
        /// `nil` if its address is not a URL, so that it contains nothing.
        let root: FolderAddress?
        let robots: RobotsRules

        func contains(_ address: String) -> Bool {
            guard let root, let url = URL(string: address) else { return false }
            return root.relativePath(of: url) != nil
        }

        func allows(_ address: String) -> Bool {
            robots == .none || robots.allows(AddressParts(address).path)
        }
    }

    /// Visits all folders.
    ///
    /// Cancelling the task ends the walk.
    package func run() async {
        let tree: Tree
        let found: [ListedFolder]
        do throws(DownloadError) {
            let content: FolderContent
            (tree, content) = try await begin()
            found = await take(content, of: root, tree)
        } catch {
            return visitor.failed(root, error)
        }
        await withTaskGroup(of: [ListedFolder].self) { group in
            // Several pages may link to one folder.
            var known: Set<ExactText> = [ExactText(root.path)]
            func unknown(_ found: [ListedFolder]) -> [ListedFolder] {
                found.filter { known.insert(ExactText($0.path)).inserted }.reversed()
            }
            var waiting = unknown(found)
            var count = 0
            while !Task.isCancelled {
                while count < Self.mostFolders, let folder = waiting.popLast() {
                    count += 1
                    group.addTask { await visit(folder, tree) }
                }
                guard let found = await group.next() else { return }
                count -= 1
                waiting += unknown(found)
            }
        }
    }

    /// Lists the root, whose server may redirect to another address.
    private func begin() async throws(DownloadError) -> (Tree, FolderContent) {
        var robots = try await rules(of: root.address)
        try Self.check(robots, root.address)
        let (content, address) = try await lister.list(root)
        let origin = URL(string: address).flatMap(Origin.init)
        if origin != URL(string: root.address).flatMap(Origin.init) {
            robots = try await rules(of: address)
        }
        try Self.check(robots, address)
        if !Self.isSame(root.address, address) { visitor.redirected(to: address) }
        let tree = Tree(root: URL(string: address).flatMap(FolderAddress.init), robots: robots)
        return (tree, content)
    }

    /// Whether two addresses are of one folder: HTTPS may replace HTTP, and a slash may be added.
    private static func isSame(_ one: String, _ other: String) -> Bool {
        let parts = [one, other].map { AddressParts($0) }
        return parts[0].host?.lowercased() == parts[1].host?.lowercased()
            && parts[0].path.asFolderPath == parts[1].path.asFolderPath
    }

    private func rules(of address: String) async throws(DownloadError) -> RobotsRules {
        obeysRobots ? try await lister.robots(of: address) : .none
    }

    private static func check(_ robots: RobotsRules, _ address: String) throws(DownloadError) {
        guard !robots.allows(AddressParts(address).path) else { return }
        throw DownloadError(
            .notAllowed,
            "the server's robots.txt asks programs not to visit this folder",
            advice: "if you may, \(.ignoreRobots)"
        )
    }

    /// Takes the files of a folder, and returns the folders in it.
    private func visit(_ folder: ListedFolder, _ tree: Tree) async -> [ListedFolder] {
        do throws(DownloadError) {
            let (content, address) = try await lister.list(folder)
            guard tree.contains(address) else {
                throw DownloadError(
                    .redirectRefused,
                    "the server redirects to a folder outside of the tree",
                    advice: "mirror that folder by itself"
                )
            }
            return await take(content, of: folder, tree)
        } catch {
            visitor.failed(folder, error)
            return []
        }
    }

    private func take(
        _ content: FolderContent,
        of folder: ListedFolder,
        _ tree: Tree
    ) async -> [ListedFolder] {
        visitor.listed(content, of: folder)
        let most = depth ?? Self.mostLevels
        let files = content.files.filter { file in
            file.path.pathNames.count <= most && filter.wants(file.path)
                && allows(file.address, file.path, tree)
        }
        let listed = Set(content.folders.map { ExactText($0.address.normalizedPercentCoding) })
        // The list may name a folder with and without its slash.
        let found = await Self.take(files, visitor).filter { folder in
            !listed.contains(ExactText(folder.address.normalizedPercentCoding))
        }
        let folders = (content.folders + found).filter {
            filter.enters($0.path) && allows($0.address, $0.path, tree)
        }
        let isDeep = { (folder: ListedFolder) in folder.path.pathNames.count >= most }
        if depth == nil, let next = folders.first(where: isDeep) {
            visitor.failed(
                next,
                DownloadError(
                    .badResponse,
                    "there are more than \(Self.mostLevels) folders below each other",
                    advice: "if the folders are not a loop, \(.limitDepth) to a higher number"
                )
            )
        }
        return folders.filter { !isDeep($0) }
    }

    private func allows(_ address: String, _ path: String, _ tree: Tree) -> Bool {
        let isAllowed = tree.allows(address)
        if !isAllowed { visitor.disallowed(path) }
        return isAllowed
    }

    /// Passes on files, several at a time, and returns those that are folders.
    @discardableResult
    package static func take(
        _ files: [ListedFile],
        _ visitor: any TreeVisiting
    ) async -> [ListedFolder] {
        await withTaskGroup(of: ListedFolder?.self) { group in
            var folders: [ListedFolder] = []
            var count = 0
            for file in files where !Task.isCancelled {
                if count == mostFiles {
                    if case let folder?? = await group.next() { folders.append(folder) }
                    count -= 1
                }
                // A download that waits uses memory, and makes those that run slower.
                guard await visitor.waitForRoom() else { break }
                guard let work = visitor.work(for: file) else { continue }
                count += 1
                group.addTask { await work() }
            }
            for await folder in group { if let folder { folders.append(folder) } }
            return folders
        }
    }
}
