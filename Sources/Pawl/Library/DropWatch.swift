internal import Logging
internal import PawlCore
internal import PawlEngine
internal import PawlStorage
internal import Synchronization
internal import SystemPackage

/// The watched drop folder: receives names, and checks their files until they are complete.
final class DropWatch: Sendable {
    let folder: DropFolder
    let watcher: any FolderWatching
    let names = Mailbox<String>()
    /// The end of the watching, with a reason unless the library itself ended it.
    let end = Mailbox<FolderEnd>()

    /// Starts watching.
    ///
    /// It blocks.
    init(_ path: FilePath) throws(DownloadError) {
        folder = DropFolder(path)
        watcher = try FolderWatch.begin(path)
        // Existing files with URLs are checked first.
        for name in watcher.baseline.keys.sorted() { names.post(name) }
    }

    func read() async {
        while let changes = await watcher.next() {
            for change in changes {
                switch change {
                case .added(let name), .modified(let name), .renamed(_, let name):
                    names.post(name)
                case .ended(let reason): end.post(reason)
                case .removed, .overflowed: break
                }
            }
        }
        names.wake()
    }
}

extension LibraryKeeper {
    /// Takes files from the drop folder when they are complete.
    func take(from drop: DropWatch) async {
        let alarms = session.engine.alarms
        let alarm = alarms.enroll { drop.names.wake() }
        defer { alarms.resign(alarm) }
        var settling = DropSettling(rest: configuration.dropRest)
        while !Task.isCancelled {
            for name in drop.names.take() where DropList.Kind(fileName: name) != nil {
                settling.noted(name, at: session.engine.time.now())
            }
            for reason in drop.end.take() {
                tell(.watchingEnded(reason: "the drop folder: \(reason.sentence)"))
            }
            for name in await settled(&settling, drop.folder) { await take(name, drop) }
            let now = session.engine.time.now()
            alarms.set(
                alarm,
                at: settling.isIdle ? .distantFuture : now + configuration.dropRest
            )
            await drop.names.wait()
        }
    }

    private func settled(_ settling: inout DropSettling, _ folder: DropFolder) async -> [String] {
        guard !settling.isIdle else { return [] }
        let names = settling.names
        // A pool that was shut down ends the library.
        let looks =
            (try? await disk.run { () throws(DownloadError) in folder.look(at: names) }) ?? [:]
        return settling.looked(looks, at: session.engine.time.now())
    }

    private func take(_ name: String, _ drop: DropWatch) async {
        let folder = drop.folder
        do throws(DownloadError) {
            let found = try await disk.run { () throws(DownloadError) in
                try Self.read(name, folder)
            }
            switch found {
            case .gone: return
            case .rejected(let reason): tell(.dropRejected(name: name, reason: reason))
            case .items(let items):
                for item in items { try begin(item) }
                // The notes are written before the file is removed, so a crash loses nothing.
                for run in runs(of: items) { await run.noted.waitIgnoringCancellation() }
                let isTaken = try await disk.run { () throws(DownloadError) in
                    try folder.take(name)
                }
                if isTaken { tell(.dropTaken(name: name, keys: items.map(\.key))) }
            }
        } catch {
            // The file stays where it is. After a temporary failure it is checked again.
            if error.retryClass != .never { drop.names.post(name) }
            session.engine.logger.warning("the library cannot take the file \(name): \(error)")
        }
    }

    private enum Dropped: Sendable {
        case gone
        case rejected(String)
        case items([DropItem])
    }

    private static func read(
        _ name: String,
        _ folder: DropFolder
    ) throws(DownloadError) -> Dropped {
        guard let kind = DropList.Kind(fileName: name) else { return .gone }
        let fault: String
        do throws(DownloadError) {
            guard let bytes = try folder.read(name) else { return .gone }
            switch Result(catching: { () throws(DropList.Fault) in
                try DropList.read(bytes, kind) { SHA256.shortText(of: $0) }
            }) {
            case .success(let items): return .items(items)
            case .failure(let error): fault = error.reason
            }
        } catch {
            // Too many open files are not a fault of this file.
            guard error.retryClass == .never else { throw error }
            fault = error.message
        }
        return try folder.reject(name, fault) ? .rejected(fault) : .gone
    }

    private func begin(_ item: DropItem) throws(DownloadError) {
        var request = LibraryRequest(item.url)
        // A URL as the key is not a good name for the file.
        request.name =
            item.name
            ?? FileName.suggested(contentDisposition: nil, url: item.url, mediaType: nil)
        try begin(item.key, request)
    }

    private func runs(of items: [DropItem]) -> [LibraryRun] {
        state.withLock { state in
            items.compactMap { item in
                state.index.entries[item.key]?.download?.run.flatMap { state.runs[$0] }
            }
        }
    }
}
