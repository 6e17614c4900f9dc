import struct FoundationEssentials.URL
import Glibc
import Pawl
import PawlCore
import PawlLibrary
import PawlTesting
import Testing

/// An origin, a folder, and libraries over it.
final class ShelfScene: Sendable {
    let origin: ScriptedOrigin
    let folder: ScratchFolder
    /// Replaces the folder's own path.
    private let path: String

    init(at path: String? = nil) throws {
        origin = try ScriptedOrigin()
        folder = try ScratchFolder()
        self.path = path ?? folder.path
    }

    convenience init(_ reply: Reply) throws {
        try self.init()
        origin.route("/disk.bin", reply)
    }

    /// Opens a library with one connection per download.
    func open(
        _ change: (inout LibraryConfiguration) -> Void = { _ in }
    ) async throws -> DownloadLibrary {
        var configuration = LibraryConfiguration()
        configuration.session.settings.connections = .fixed(1)
        configuration.session.settings.retries = 0
        change(&configuration)
        return try await DownloadLibrary(folder: .directory(path), configuration: configuration)
    }

    func url(_ path: String = "/disk.bin") throws -> URL {
        try #require(URL(string: origin.url(path)))
    }

    /// Starts another process that fetches a key.
    func startProbe(_ key: String, _ path: String = "/disk.bin") throws -> ProcessRunner {
        try startProbe([key, origin.url(path)])
    }

    /// Starts another process that fetches a key, or does something else with the folder.
    func startProbe(_ arguments: [String], _ environment: [String: String?] = [:]) throws
        -> ProcessRunner
    {
        var settings = ProcessSettings()
        settings.environment = environment
        return try ProcessRunner(BuiltProduct.path("LibraryProbe"), [path] + arguments, settings)
    }

    /// Starts a key and returns when `bytes` bytes have arrived, after which the origin pauses.
    func hold(
        _ library: DownloadLibrary,
        _ key: StorageKey = "disk",
        after bytes: Int64 = 400_000,
        of resource: Resource
    ) async throws -> Latch {
        let latch = Latch()
        origin.route("/disk.bin", .resource(resource).holdAfterBytes(bytes, until: latch))
        try library.start(key, from: try url())
        await library.reaches(bytes, key)
        return latch
    }
}

extension DownloadLibrary {
    /// Waits until `bytes` bytes of a key have arrived.
    func reaches(_ bytes: Int64, _ key: StorageKey) async {
        while !Task.isCancelled {
            guard let task = task(for: key) else {
                await Task.yield()
                continue
            }
            for await progress in task.progress where progress.completedBytes >= bytes { return }
        }
    }

    /// Waits until a key is in a state.
    func waits(for key: StorageKey, _ isMet: (LibraryState?) -> Bool) async {
        while !Task.isCancelled, !isMet(entry(for: key)?.state) { await Task.yield() }
        #expect(isMet(entry(for: key)?.state), "\(String(describing: entry(for: key)?.state))")
    }
}

extension EventSequence<LibraryEvent> {
    /// The first event for which `find` returns a value.
    ///
    /// Waits until the test's time limit.
    func first<T>(_ find: (LibraryEvent) -> T?) async -> T? {
        for await event in self { if let found = find(event) { return found } }
        return nil
    }
}

extension LibraryState {
    var isPaused: Bool { if case .paused = self { true } else { false } }
    var isFinished: Bool { if case .finished = self { true } else { false } }
    var isChanged: Bool { if case .changed = self { true } else { false } }
    var failure: DownloadError? { if case .failed(let error) = self { error } else { nil } }
}
