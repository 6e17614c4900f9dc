internal import PawlCore
internal import PawlStorage
internal import Synchronization

/// What others do in the folder.
extension LibraryKeeper {
    /// Reads what is there; the watch has begun before.
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
        // Where the folder cannot be read, the watcher says why when it can.
        try? await disk.run { () throws(DownloadError) in try self.followNow(changes) }
    }

    /// Looks again where a download has ended between the look and the judgement; it blocks.
    ///
    /// A few times: where downloads end all the time, what is wrong is put right by the next change.
    func followNow(_ told: [FolderChange]) throws(DownloadError) {
        let scan = LibraryScan(folder)
        for attempt in 1...8 {
            let (names, generation) = state.withLock { state in
                (state.index.namesToLookAt(told), state.generation)
            }
            var changes = told
            var found = try scan.look(at: names)
            let besides = state.withLock { $0.index.namesBesides(found) }
            if !besides.isEmpty {
                let others = try scan.look(at: besides)
                let gone = besides.filter { others[$0] == nil }
                changes = state.withLock { $0.index.changes(told, found, gone: gone) }
                found.merge(others) { _, new in new }
            }
            let wakes = state.withLock { state -> [() -> Void]? in
                guard state.generation == generation || attempt == 8 else { return nil }
                return perform(state.index.handle(.folderChanged(changes, found)), &state)
            }
            guard let wakes else { continue }
            for wake in wakes { wake() }
            return
        }
    }

    /// Has a finished file's own status tell whether it is still there, where the watch has not told
    /// yet, or nobody watches; it blocks.
    func refresh(_ key: StorageKey) throws(DownloadError) {
        let entry = state.withLock { $0.index.entries[key] }
        guard let file = entry?.file, entry?.download?.run == nil else { return }
        let now = try files.stamp(file.name)
        guard now != file.stamp else { return }
        if now != nil { return try followNow([.modified(file.name)]) }
        // It may have another name.
        let name = try files.name(of: file.stamp)
        try followNow([name.map { .renamed(from: file.name, to: $0) } ?? .removed(file.name)])
    }
}
