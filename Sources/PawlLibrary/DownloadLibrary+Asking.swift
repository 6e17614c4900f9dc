public import struct FoundationEssentials.URL
internal import Pawl
public import PawlCore
internal import PawlStorage
internal import SystemPackage

/// Requesting files.
extension DownloadLibrary {
    /// Returns the file of a key, and fetches it if it does not exist.
    ///
    /// All callers that request a key which is being fetched wait for the same download. Cancelling
    /// the task of the last caller that waits pauses the download and keeps the bytes received so
    /// far. `url` can be omitted if it is known: for an unfinished download, for a finished file,
    /// and for a file that was removed while this library was open. For the last two it is known
    /// only if it contained no secrets, which are not stored.
    ///
    /// - Throws: `DownloadError`, with the code `.alreadyRunning` and the process's number if
    ///   another process fetches the key, or the session's name if the daemon fetches it, or
    ///   `.interrupted` if the download was paused meanwhile.
    @discardableResult
    public func file(
        for key: StorageKey,
        from url: URL? = nil
    ) async throws(DownloadError) -> LibraryFile {
        try await file(for: key, LibraryRequest(url))
    }

    /// Returns the file of a key, using your own request.
    ///
    /// - Throws: `DownloadError`.
    @discardableResult
    public func file(
        for key: StorageKey,
        _ request: LibraryRequest
    ) async throws(DownloadError) -> LibraryFile {
        let context = context
        // If there is no file, no check is needed.
        if context.index.entry(key)?.file != nil {
            try await context.disk.run { () throws(DownloadError) in
                try context.follower.refresh(key)
            }
        }
        let file = try await context.index.file(key, request).get()
        let (folder, name) = (context.folder, file.name)
        // The use is recorded so that a cleaning removes the file late. If this fails, its age
        // counts.
        try? await context.disk.run { () throws(DownloadError) in
            try FileFolder(folder).markUsed(name.text)
        }
        return LibraryFile(file, in: folder.string)
    }

    /// Starts or resumes the download of a key without waiting for it.
    ///
    /// - Throws: `DownloadError` with the code `.usage` if no URL is known.
    public func start(_ key: StorageKey, from url: URL? = nil) throws(DownloadError) {
        try start(key, LibraryRequest(url))
    }

    /// Starts or resumes the download of a key with your own request, without waiting for it.
    ///
    /// - Throws: `DownloadError` with the code `.usage` if no URL is known.
    public func start(
        _ key: StorageKey,
        _ request: LibraryRequest
    ) throws(DownloadError) {
        try context.follower.refresh(key)
        try context.index.begin(key, request)
    }

    /// Fetches the whole file of a key again.
    ///
    /// The existing file is replaced when the new one is complete.
    ///
    /// Without a URL, the URL stored with the file is used, even in a later process, while the
    /// file's entry exists.
    ///
    /// - Throws: `DownloadError`, with the code `.usage` if no URL is known: a URL with secrets is
    /// not stored with a finished file, and a removed file has no stored URL.
    @discardableResult
    public func refetch(
        _ key: StorageKey,
        from url: URL? = nil
    ) async throws(DownloadError) -> LibraryFile {
        var request = LibraryRequest(url)
        request.policy = .reload
        return try await file(for: key, request)
    }

    /// Ends a download's connections and keeps the bytes received so far.
    ///
    /// Requesting the key resumes it.
    public func pause(_ key: StorageKey) { context.index.handle(.pauseAsked(key)) }

    /// Is ``start(_:from:)``.
    @available(*, unavailable, message: "use 'try library.start(key)'")
    public func resume(_ key: StorageKey) {}

    /// Resumes all downloads that are paused or have failed, if their URLs are known.
    public func resumeAll() {
        let keys = entries.filter { entry in
            switch entry.state {
            case .paused, .failed: true
            case .running, .runningElsewhere, .finished, .changed: false
            }
        }.map(\.key)
        // A download whose URL is not known stays as it is.
        for key in keys { try? start(key) }
    }

    /// Continues a download from another URL of the same file, and keeps its bytes.
    ///
    /// They are joined with the new bytes only if the total and the validators are equal; otherwise
    /// the download starts over.
    ///
    /// - Returns: Whether there is an unfinished download of that key.
    /// - Throws: `DownloadError` with the code `.usage` if the URL cannot be fetched.
    @discardableResult
    public func replaceURL(_ url: URL, for key: StorageKey) throws(DownloadError) -> Bool {
        let address = try SourceURL.parse(url.absoluteString).url
        return context.index.replaceURL(address, key)
    }

    /// Ends a key's download and deletes its bytes; a finished file stays.
    ///
    /// - Returns: Whether there was a download.
    /// - Throws: `DownloadError` with the code `.alreadyRunning` if another process runs it, or
    ///   `.daemonUnavailable` if the daemon has it and cannot be started.
    @discardableResult
    public func cancel(_ key: StorageKey) async throws(DownloadError) -> Bool {
        let (context, index) = (context, context.index)
        var wasThere = false
        while let download = index.entry(key)?.download {
            wasThere = true
            if let run = index.run(of: key) {
                index.handle(.cancelAsked(key))
                await run.ended.waitIgnoringCancellation()
            } else {
                try await context.discard(download.pending)
                index.handle(.cancelAsked(key))
            }
        }
        return wasThere
    }

    /// Removes everything of a key: its file, and the files of an unfinished download.
    ///
    /// If somebody has just put another file in its place, and the library has not detected this
    /// yet, that file stays, and an error with the code `.fileExists` is thrown. From then on the
    /// key's state is `.changed`.
    ///
    /// - Returns: Whether there was anything.
    /// - Throws: `DownloadError` if something could not be removed.
    @discardableResult
    public func delete(_ key: StorageKey) async throws(DownloadError) -> Bool {
        let wasRunning = try await cancel(key)
        let hadFile = try await removeFile(of: key)
        return hadFile || wasRunning
    }

    /// Is ``delete(_:)``.
    @available(
        *,
        unavailable,
        message: "use 'try await library.delete(key)', or 'cancel(key)' to keep a finished file"
    )
    public func remove(_ key: StorageKey) {}

    /// Removes the file of a key; returns whether there was one.
    func removeFile(of key: StorageKey) async throws(DownloadError) -> Bool {
        guard let file = context.index.entry(key)?.file else { return false }
        let (files, follower) = (context.files, context.follower)
        let wasThere = try await context.disk.run { () throws(DownloadError) in
            do throws(DownloadError) {
                return try files.remove(file)
            } catch  where error.code == .fileExists {
                // The library has not reported the other file yet.
                try follower.followNow([.modified(file.name)])
                throw error
            }
        }
        context.index.handle(.removed(key, file), changing: key)
        return wasThere
    }
}
