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

    /// Looks again where a download has ended between the look and the judgement.
    ///
    /// A few times: where downloads end all the time, what is wrong is put right by the next change.
    func follow(_ changes: [FolderChange]) async {
        let folder = folder
        for attempt in 1...8 {
            let (names, generation) = state.withLock { state in
                (state.index.namesToLookAt(changes), state.generation)
            }
            let found: [String: FoundFile]
            do throws(DownloadError) {
                found = try await disk.run { () throws(DownloadError) in
                    try LibraryScan(folder).look(at: names)
                }
            } catch {
                // The watcher says why when it can.
                return
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
}
