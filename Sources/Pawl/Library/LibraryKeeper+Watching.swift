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

    /// Looks at what is told; at what a download has touched meanwhile once more.
    ///
    /// It blocks.
    func followNow(_ told: [FolderChange]) throws(DownloadError) {
        let scan = LibraryScan(folder)
        let number = state.withLock { $0.touched.begin() }
        defer { state.withLock { $0.touched.end(number) } }
        var look = FolderLook(told)
        while true {
            let (names, wakes) = state.withLock { state -> (Set<String>, [() -> Void]) in
                look.forget(state.touched.take(number))
                let names = look.missing(for: state.index)
                guard names.isEmpty else { return (names, []) }
                return (names, perform(state.index.handle(look.event(for: state.index)), &state))
            }
            guard !names.isEmpty else {
                for wake in wakes { wake() }
                return
            }
            look.saw(try scan.look(at: names), of: names)
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

    /// Changes the index by what was just done on disk under a key's names.
    func changed(
        _ key: StorageKey,
        _ body: (inout LibraryIndex) -> [LibraryIndex.Action]
    ) {
        let wakes = state.withLock { state in perform(state.change(key, body), &state) }
        for wake in wakes { wake() }
    }
}

extension LibraryKeeper.State {
    /// The same; who looks at the folder at this moment looks at these names once more.
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
