import Pawl
import PawlCore
import PawlTesting
import Testing
import struct FoundationEssentials.URL

/// An origin, a bucket, and downloads from one into the other.
///
/// Each run has a session of its own, as another process would.
final class ObjectScene: Sendable {
    static let key = "a b/disk.bin"
    static let part: Int64 = 8 << 20
    /// Three parts.
    static let size: Int64 = 2 * part + 1_000_001

    let origin: ScriptedOrigin
    let bucket: BucketScene
    let folder: ScratchFolder

    init(_ kind: BucketKind = .scripted, _ reply: Reply) async throws {
        origin = try ScriptedOrigin()
        bucket = try await BucketScene(kind)
        folder = try ScratchFolder()
        serve(reply)
    }

    func serve(_ reply: Reply) { origin.route("/disk.bin", reply) }

    /// The scripted bucket, of a scene that has one.
    var scripted: ScriptedBucket {
        get throws { try #require(bucket.scripted) }
    }

    var ledgerName: String { "upload" }
    var ledger: FilePartLedger { FilePartLedger(path: folder.path(ledgerName)) }

    func destination(
        _ ifExists: ExistingFilePolicy = .rename,
        memory: PartMemory = PartMemory()
    ) throws -> ObjectDestination {
        var connection = ConnectionSettings()
        connection.proxy = .none
        connection.s3.endpoint = URL(string: bucket.endpoint)
        connection.s3.region = "us-east-1"
        let credentials = bucket.client.credentials
        var destination = try ObjectDestination(
            try #require(URL(string: "s3://photos/a%20b/disk.bin")),
            connection: connection,
            credentials: Credentials(name: credentials.keyID, password: credentials.secret),
            owner: ObjectOwner(queue: "test"),
            ledger: ledger
        )
        (destination.ifExists, destination.memory) = (ifExists, memory)
        return destination
    }

    func request(
        _ connections: Int = 1,
        _ change: @escaping @Sendable (inout DownloadSettings) -> Void = { _ in }
    ) throws -> DownloadRequest {
        var request = DownloadRequest(try #require(URL(string: origin.url("/disk.bin"))))
        request.adjust { settings in
            settings.connections = .fixed(connections)
            change(&settings)
        }
        return request
    }

    /// Runs a download to its end.
    @discardableResult
    func download(
        _ connections: Int = 1,
        _ destination: ObjectDestination? = nil,
        _ change: @escaping @Sendable (inout DownloadSettings) -> Void = { _ in }
    ) async throws -> DownloadedFile {
        let session = DownloadScene.session()
        let target = try destination ?? self.destination()
        let task = session.downloadTask(with: try request(connections, change), to: target)
        return try await session.finish(task)
    }

    /// Runs a download that must fail, and returns its error.
    func failure(
        _ destination: ObjectDestination? = nil,
        _ change: @escaping @Sendable (inout DownloadSettings) -> Void = { _ in }
    ) async throws -> DownloadError {
        try await #require(throws: DownloadError.self) {
            try await self.download(1, destination, change)
        }
    }

    /// Runs a download whose responses stop after some bytes, and interrupts it when the bucket has
    /// stored that number of parts.
    ///
    /// - Parameters:
    ///   - others: The number of bytes after which each response but the first stops; with it, all
    ///     connections are awaited.
    ///   - isKept: Whether the parts are kept for a later run.
    func interrupt(
        _ resource: Resource,
        connections: Int = 1,
        holdingAfter bytes: Int64,
        othersAfter others: Int64? = nil,
        parts: Int,
        isKept: Bool = true,
        _ change: @escaping @Sendable (inout DownloadSettings) -> Void = { _ in }
    ) async throws {
        let latch = Latch()
        let first = Reply.resource(resource).holdAfterBytes(bytes, until: latch)
        let later = Reply.resource(resource).holdAfterBytes(others ?? bytes, until: latch)
        serve(later.choosing(first) { $0.ordinal == 1 })
        let session = DownloadScene.session()
        let task = session.downloadTask(
            with: try request(connections, change),
            to: try destination()
        )
        task.resume()
        await latch.waitForArrivals(others == nil ? 1 : connections)
        try await scripted.waitUntil { requests in
            requests.count { $0.operation == .uploadPart && $0.status == 200 } >= parts
        }
        task.end(keeping: isKept)
        await #expect(throws: DownloadError.self) { try await task.file }
        // The session keeps a connection whose response was complete.
        await origin.waitUntil { $0.activeExchanges == 0 }
        if isKept, connections == 1 {
            // What only the memory had is lost.
            #expect(task.currentProgress.completedBytes == Int64(parts) * Self.part)
        }
        serve(.resource(resource))
    }

    /// The first bytes of the ranges that were requested; `nil` for the whole file.
    var requestedStarts: [Int64?] { origin.requests.map { $0.range?.first } }

    /// Checks that the bucket has that version of the file, byte for byte, and nothing is left of
    /// its upload.
    func expectObject(
        _ resource: Resource,
        _ key: String = ObjectScene.key,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let answer = try bucket.client.get(key)
        #expect(answer.status == 200, sourceLocation: sourceLocation)
        let isEqual = answer.body == resource.bytes()
        #expect(isEqual, "the bytes differ", sourceLocation: sourceLocation)
        #expect(
            answer["x-amz-meta-pawl"]?.hasPrefix("test:0:") == true,
            sourceLocation: sourceLocation
        )
        try expectNothingLeft(sourceLocation: sourceLocation)
    }

    /// Checks that there is neither an upload nor a record of one.
    func expectNothingLeft(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let uploads = try bucket.client.ask("GET", "", [("uploads", "")])
        #expect(uploads.elements("UploadId").isEmpty, sourceLocation: sourceLocation)
        #expect(folder.list().isEmpty, sourceLocation: sourceLocation)
    }
}
