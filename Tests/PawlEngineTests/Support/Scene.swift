import struct FoundationEssentials.URL
import PawlCore
import PawlTesting
import Synchronization
import Testing

/// An origin, a folder, and downloads from one into the other, for one test.
///
/// Each run uses a new engine, as another process would.
final class Scene: Sendable {
    /// Large enough for four segments, small enough to be quick.
    static let size: Int64 = 1 << 20
    /// Less than an eighth of `size`: the bytes that a held response of a first run delivers.
    static let heldBytes: Int64 = 110_000
    static let path = "/disk.bin"
    static let name = "disk.bin"

    let origin: ScriptedOrigin
    let folder: ScratchFolder
    /// Kept as long as the scene, because a stream needs its process.
    let processes = Mutex<[EngineProcess]>([])
    /// The number of requests that the origin received before those that the test is about.
    private let firstRequest = Mutex(0)

    init(tls: Bool = false) throws {
        origin = try ScriptedOrigin(tls: tls)
        folder = try ScratchFolder()
    }

    /// A scene whose origin serves the file with `reply`.
    convenience init(_ reply: Reply) throws {
        try self.init()
        serve(reply)
    }

    /// Answers requests for the file with `reply` from now on.
    func serve(_ reply: Reply) { origin.route(Self.path, reply) }

    func settings(_ connections: Int) -> DownloadSettings {
        var settings = DownloadSettings()
        settings.connections = .fixed(connections)
        settings.retries = 3
        return settings
    }

    // MARK: - Runs

    func url(_ path: String = Scene.path, host: String = "127.0.0.1") throws -> URL {
        try #require(URL(string: origin.url(path, host: host)))
    }

    func start(
        _ settings: DownloadSettings,
        from path: String = Scene.path,
        to name: String = Scene.name,
        by process: EngineProcess = EngineProcess()
    ) throws -> RunningDownload {
        process.start(try url(path), to: .file(folder.path(name)), settings)
    }

    @discardableResult
    func download(
        _ settings: DownloadSettings,
        from path: String = Scene.path,
        to name: String = Scene.name,
        by process: EngineProcess = EngineProcess()
    ) async throws -> DownloadedFile {
        try await start(settings, from: path, to: name, by: process).file()
    }

    /// Downloads the file; no answer continues before as many answers as connections have started.
    @discardableResult
    func downloadTogether(
        _ reply: Reply,
        _ settings: DownloadSettings
    ) async throws -> DownloadedFile {
        let latch = Latch()
        serve(reply.holdAfterBytes(1000, until: latch))
        let running = try start(settings)
        await latch.waitForArrivals(settings.connections.number)
        latch.release()
        return try await running.file()
    }

    /// Runs a download that must fail without a file, and returns its error.
    func failure(
        _ settings: DownloadSettings,
        from path: String = Scene.path,
        by process: EngineProcess = EngineProcess(),
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> DownloadError {
        let error = try await #require(
            throws: DownloadError.self,
            sourceLocation: sourceLocation
        ) {
            try await download(settings, from: path, by: process)
        }
        #expect(!folder.exists(Self.name), sourceLocation: sourceLocation)
        return error
    }

    /// Runs a first download and cancels it once each of its connections has received `heldBytes`.
    ///
    /// Returns the number of bytes on disk.
    @discardableResult
    func interrupt(
        _ reply: Reply,
        _ settings: DownloadSettings,
        connections: Int? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Int64 {
        let connections = connections ?? settings.connections.number
        let bytes = Int64(connections) * Self.heldBytes
        let latch = Latch()
        serve(reply.holdAfterBytes(Self.heldBytes, until: latch))
        let running = try start(settings)
        await latch.waitForArrivals(connections)
        await running.waitForBytes(bytes)
        running.cancel()
        let error = await #expect(throws: DownloadError.self, sourceLocation: sourceLocation) {
            try await running.file()
        }
        #expect(error?.code == .interrupted, sourceLocation: sourceLocation)
        await origin.waitForQuiet()
        serve(reply)
        forgetRequests()
        return bytes
    }

    // MARK: - Requests

    /// Ignores the requests so far.
    func forgetRequests() {
        let count = origin.requests.count
        firstRequest.withLock { $0 = count }
    }

    /// The requests since `forgetRequests()`.
    var asked: [RecordedRequest] {
        Array(origin.requests.dropFirst(firstRequest.withLock { $0 }))
    }

    // MARK: - Results

    /// Checks that the file is that version, byte for byte, and that nothing else is left.
    func expectFile(
        _ resource: Resource,
        name: String = Scene.name,
        besides others: [String] = [],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(folder.list() == (others + [name]).sorted(), sourceLocation: sourceLocation)
        let mismatch = try resource.verify(fileAt: folder.path(name))
        #expect(mismatch == nil, "first difference", sourceLocation: sourceLocation)
    }

    /// Checks that the file is one of those versions as a whole.
    func expectOneVersion(
        of versions: [Resource],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let path = folder.path(Self.name)
        let matches = try versions.filter { try $0.verify(fileAt: path) == nil }
        #expect(!matches.isEmpty, "the file mixes versions", sourceLocation: sourceLocation)
    }

    /// Checks the rules of asking, which hold for every request whatever the server does.
    func expectManners(sourceLocation: SourceLocation = #_sourceLocation) {
        for request in origin.requests {
            #expect(request.method == "GET", sourceLocation: sourceLocation)
            #expect(request["Accept-Encoding"] == "identity", sourceLocation: sourceLocation)
            #expect(request["If-Range"] == nil, sourceLocation: sourceLocation)
            #expect(
                request["Range"] == nil || request.range != nil,
                "not a single range: \(request["Range"] ?? "")",
                sourceLocation: sourceLocation
            )
        }
    }
}

extension ConnectionCount {
    var number: Int {
        switch self {
        case .automatic: 1
        case .fixed(let number): number
        }
    }
}
