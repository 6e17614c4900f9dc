public import struct FoundationEssentials.URL
public import PawlCore
internal import PawlStorage
internal import SystemPackage
internal import Synchronization

/// Asking for files.
extension DownloadLibrary {
    /// The file of a key, fetched where it is not there.
    ///
    /// Who asks for a key that is being fetched awaits the same download. Cancelling the task that
    /// awaits it, where no other one does, pauses the download and keeps what came. `url` may be left out
    /// where it is known: of a download that has not finished, of a finished file, and of one that was
    /// removed while this library was open; of these two, unless it held secrets, which are not kept.
    ///
    /// - Throws: `DownloadError`; with the code `.alreadyRunning` and the process's number where another
    ///   process fetches the key, `.interrupted` where the download was paused meanwhile.
    @discardableResult
    public func file(
        for key: StorageKey,
        from url: URL? = nil
    ) async throws(DownloadError) -> LibraryFile {
        try await file(for: key, LibraryRequest(url))
    }

    /// The file of a key, by a request of your own.
    ///
    /// - Throws: `DownloadError`.
    @discardableResult
    public func file(
        for key: StorageKey,
        _ request: LibraryRequest
    ) async throws(DownloadError) -> LibraryFile {
        let keeper = keeper
        // Where there is nothing to look at, it costs nothing.
        if keeper.state.withLock({ $0.index.entries[key]?.file != nil }) {
            try await keeper.disk.run { () throws(DownloadError) in try keeper.refresh(key) }
        }
        let file = try await keeper.file(key, request).get()
        let (folder, name) = (keeper.folder, file.name)
        // So that a cleaning takes it late; without it, it counts by its age.
        try? await keeper.disk.run { () throws(DownloadError) in
            try FileFolder(folder).markUsed(name)
        }
        return LibraryFile(file, in: folder.string)
    }

    /// Begins to fetch a key, or goes on with it, and does not wait.
    ///
    /// - Throws: `DownloadError` with the code `.usage` where no URL is known.
    public func start(_ key: StorageKey, from url: URL? = nil) throws(DownloadError) {
        try start(key, LibraryRequest(url))
    }

    /// Begins to fetch a key by a request of your own, and does not wait.
    ///
    /// - Throws: `DownloadError` with the code `.usage` where no URL is known.
    public func start(
        _ key: StorageKey,
        _ request: LibraryRequest
    ) throws(DownloadError) {
        try keeper.refresh(key)
        try keeper.begin(key, request)
    }

    /// All of a key's file anew; the one that is there is replaced when the new one is complete.
    ///
    /// - Throws: `DownloadError`; with the code `.usage` where nothing says where the file is: secrets of
    ///   a URL are not kept with a finished file.
    @discardableResult
    public func refetch(
        _ key: StorageKey,
        from url: URL? = nil
    ) async throws(DownloadError) -> LibraryFile {
        var request = LibraryRequest(url)
        request.policy = .reload
        return try await file(for: key, request)
    }

    /// Ends a download's connections and keeps what came; asking for the key goes on.
    public func pause(_ key: StorageKey) { keeper.handle(.pauseAsked(key)) }

    /// Begins all downloads anew that are paused or have failed, and whose URL is known.
    public func resumeAll() {
        let keys = entries.filter { entry in
            switch entry.state {
            case .paused, .failed: true
            case .running, .runningElsewhere, .finished, .changed: false
            }
        }.map(\.key)
        // One whose URL is not known stays as it is.
        for key in keys { try? start(key) }
    }

    /// Lets a download go on from another URL of the same file, and keeps its bytes.
    ///
    /// They are joined with what comes from there only where its total and its validators are the same;
    /// else the download starts anew.
    ///
    /// - Returns: Whether there is an unfinished download of that key.
    /// - Throws: `DownloadError` with the code `.usage` where it is no URL that could be fetched.
    @discardableResult
    public func replaceURL(_ url: URL, for key: StorageKey) throws(DownloadError) -> Bool {
        let address = try SourceURL.parse(url.absoluteString).url
        return keeper.replaceURL(address, key)
    }

    /// Ends a key's download and throws away what came; a finished file stays.
    ///
    /// - Returns: Whether there was one.
    /// - Throws: `DownloadError` with the code `.alreadyRunning` where another process runs it.
    @discardableResult
    public func cancel(_ key: StorageKey) async throws(DownloadError) -> Bool {
        try await keeper.cancel(key)
    }

    /// Removes all that there is of a key: its file, and what an unfinished download has left.
    ///
    /// Where somebody has just put another file in its place, and the library has not been told yet, that
    /// one stays, and an error with the code `.fileExists` says so; from then on the key's state is
    /// `.changed`.
    ///
    /// - Returns: Whether there was anything.
    /// - Throws: `DownloadError` where something is still there.
    @discardableResult
    public func delete(_ key: StorageKey) async throws(DownloadError) -> Bool {
        let wasRunning = try await keeper.cancel(key)
        let hadFile = try await keeper.removeFile(of: key)
        return hadFile || wasRunning
    }
}

extension LibraryKeeper {
    fileprivate func replaceURL(_ url: URL, _ key: StorageKey) -> Bool {
        let isThere = state.withLock { state in
            state.requests[key]?.url = url
            return state.index.entries[key]?.download != nil
        }
        handle(.urlReplaced(key, url))
        return isThere
    }

    func cancel(_ key: StorageKey) async throws(DownloadError) -> Bool {
        var wasThere = false
        while true {
            let (download, run) = state.withLock { state in
                let download = state.index.entries[key]?.download
                return (download, download?.run.flatMap { state.runs[$0] })
            }
            guard let download else { return wasThere }
            wasThere = true
            if let run {
                handle(.cancelAsked(key))
                await run.ended.waitInAnyCase()
            } else {
                let (order, files, engine) = (download.order, files, session.engine)
                try await disk.run { () throws(DownloadError) in
                    try Self.discard(order, files, engine)
                }
                handle(.cancelAsked(key))
            }
        }
    }

    func removeFile(of key: StorageKey) async throws(DownloadError) -> Bool {
        guard let file = state.withLock({ $0.index.entries[key]?.file }) else { return false }
        let files = files
        let wasThere = try await disk.run { () throws(DownloadError) in
            do throws(DownloadError) {
                return try files.remove(file)
            } catch  where error.code == .fileExists {
                // Nobody has been told of it yet.
                try self.followNow([.modified(file.name)])
                throw error
            }
        }
        changed(key) { $0.handle(.removed(key, file)) }
        return wasThere
    }
}
