internal import Logging
internal import Pawl
internal import PawlCore
internal import PawlEngine
internal import PawlStorage

/// Takes files from the drop folder when they are complete, and starts their downloads.
struct DropIntake: Sendable {
    private let drop: DropWatch
    private let library: LibraryContext

    init(_ drop: DropWatch, _ library: LibraryContext) {
        self.drop = drop
        self.library = library
    }

    /// Runs until the task is cancelled.
    func run() async {
        let (engine, rest) = (library.session.engine, library.configuration.dropRest)
        let alarms = engine.alarms
        let alarm = alarms.enroll { drop.names.wake() }
        defer { alarms.resign(alarm) }
        var settling = DropSettling(rest: rest)
        while !Task.isCancelled {
            for name in drop.names.take() where DropList.Kind(fileName: name.text) != nil {
                settling.noted(name, at: engine.time.now())
            }
            for reason in drop.end.take() {
                library.events.post(.watchingEnded(reason: "the drop folder: \(reason.sentence)"))
            }
            for name in await settled(&settling) { await take(name) }
            let now = engine.time.now()
            alarms.set(alarm, at: settling.isIdle ? .distantFuture : now + rest)
            await drop.names.wait()
        }
    }

    private func settled(_ settling: inout DropSettling) async -> [ExactText] {
        guard !settling.isIdle else { return [] }
        let (folder, names) = (drop.folder, settling.names)
        // A pool that was shut down ends the library.
        let checks =
            (try? await library.disk.run { () throws(DownloadError) in folder.check(names) })
            ?? [:]
        return settling.checked(checks, at: library.session.engine.time.now())
    }

    private func take(_ name: ExactText) async {
        let folder = drop.folder
        do throws(DownloadError) {
            let found = try await library.disk.run { () throws(DownloadError) in
                try Self.read(name, folder)
            }
            switch found {
            case .gone: return
            case .rejected(let reason):
                library.events.post(.dropRejected(name: name.text, reason: reason))
            case .items(let items):
                for item in items { try begin(item) }
                // The notes are written before the file is removed, so a crash loses nothing.
                for run in items.compactMap({ library.index.run(of: $0.key) }) {
                    await run.noted.waitIgnoringCancellation()
                }
                let isTaken = try await library.disk.run { () throws(DownloadError) in
                    try folder.take(name)
                }
                if isTaken {
                    library.events.post(.dropTaken(name: name.text, keys: items.map(\.key)))
                }
            }
        } catch {
            // The file stays where it is. After a temporary failure it is checked again.
            if error.retryClass != .never { drop.names.post(name) }
            library.session.engine.logger.warning(
                "the library cannot take the file \(name): \(error)"
            )
        }
    }

    private enum Dropped: Sendable {
        case gone
        case rejected(String)
        case items([DropItem])
    }

    private static func read(
        _ name: ExactText,
        _ folder: DropFolder
    ) throws(DownloadError) -> Dropped {
        guard let kind = DropList.Kind(fileName: name.text) else { return .gone }
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
        try library.index.begin(item.key, request)
    }
}
