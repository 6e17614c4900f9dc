internal import PawlCore
internal import PawlStorage
internal import Synchronization

/// Changes that others make in the folder.
extension LibraryKeeper {
    /// Reads the folder's content after the watch has begun.
    func load(_ stamps: [String: FileStamp]) async throws(DownloadError) {
        let folder = folder
        let content = try await disk.run { () throws(DownloadError) in
            LibraryScan(folder).content(stamps)
        }
        state.withLock { state in
            for case .tell(let event) in state.index.load(content) { state.early.append(event) }
        }
    }

    func watch(_ watcher: any FolderWatching) async {
        while let changes = await watcher.next() { await follow(changes) }
    }

    func follow(_ changes: [FolderChange]) async {
        // If the folder cannot be read, the watcher reports the reason when it can.
        try? await disk.run { () throws(DownloadError) in try self.followNow(changes) }
    }

    /// Checks the reported files, and checks those again that a download has touched meanwhile.
    ///
    /// One check runs at a time: what an earlier one has read must not replace what a later one has
    /// found. It blocks.
    func followNow(_ told: [FolderChange]) throws(DownloadError) {
        try oneCheck.withLock { (_) throws(DownloadError) in try check(told) }
    }

    private func check(_ told: [FolderChange]) throws(DownloadError) {
        let scan = LibraryScan(folder)
        let number = state.withLock { $0.touched.begin() }
        defer { state.withLock { $0.touched.end(number) } }
        var look = FolderLook(told)
        while true {
            let (names, lost) = state.withLock { state in
                look.forget(state.touched.take(number))
                let names = look.missing(for: state.index)
                let lost = names.isEmpty ? look.lost(for: state.index) : []
                if names.isEmpty, lost.isEmpty {
                    perform(state.index.handle(look.event(for: state.index)), &state)
                }
                return (names, lost)
            }
            if !names.isEmpty {
                look.saw(try scan.look(at: names), of: names)
            } else if !lost.isEmpty {
                let files = try scan.stamps()
                state.withLock { look.searched(lost, among: files, for: $0.index) }
            } else {
                return
            }
        }
    }

    /// Checks by a finished file's own status whether it still exists, if the watch has not
    /// reported it yet or nobody watches.
    ///
    /// It blocks.
    func refresh(_ key: StorageKey) throws(DownloadError) {
        let entry = state.withLock { $0.index.entries[key] }
        guard let file = entry?.file, entry?.download?.run == nil,
            try files.stamp(file.name) != file.stamp
        else { return }
        try followNow([.modified(file.name)])
    }

    /// Updates the index after a change on disk under a key's names.
    func changed(
        _ key: StorageKey,
        _ body: (inout LibraryIndex) -> [LibraryIndex.Action]
    ) {
        state.withLock { state in perform(state.change(key, body), &state) }
    }
}

extension LibraryKeeper.State {
    /// Does the same within the lock.
    ///
    /// Whoever is checking the folder now checks these names again.
    mutating func change(
        _ key: StorageKey,
        _ body: (inout LibraryIndex) -> [LibraryIndex.Action]
    ) -> [LibraryIndex.Action] {
        let before = index.names(of: key)
        let actions = body(&index)
        let note = LibraryName.pendingName(form: key.fileName)
        touched.add(before.union(index.names(of: key)).union([note]))
        return actions
    }
}
