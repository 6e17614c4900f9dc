import Pawl
import PawlCore
import PawlEngine
import PawlTesting
import Testing
import struct FoundationEssentials.URL

/// The store of an object, which a test fills in place of a download.
final class ObjectStoreScene: Sendable {
    let scene: ObjectScene
    let resource: Resource
    let store: any TargetStore
    /// The losses and failures that the store has reported.
    let failures = Observed<[TargetFailure]>([])
    /// How often the store has reported that there is room.
    let rooms = Observed(0)
    private let target: ByteTarget
    private let session: DownloadSession
    private let work: Task<Void, Never>

    init(_ resource: Resource, memory: PartMemory = PartMemory()) async throws {
        let (scene, session) = (
            try await ObjectScene(.scripted, .resource(resource)), DownloadScene.session()
        )
        let url = try #require(URL(string: scene.origin.url("/disk.bin")))
        let target = try scene.destination(memory: memory).target(
            DownloadSettings(),
            of: url,
            in: session.engine
        )
        let response = TargetResponse(
            ResponseHead(url: url, status: 200),
            Representation(total: resource.size),
            digest: nil,
            source: url.absoluteString
        )
        let found = try await target.opening.open(response) {}
        guard case .created(let store, _) = found else {
            throw DownloadError(.unknown, "the store was not created")
        }
        (self.scene, self.session, self.resource) = (scene, session, resource)
        (self.target, self.store) = (target, store)
        let running = target.work
        work = Task { if let running { await running.run() } }
        store.whenFailed { [failures] failure in failures.update { $0.append(failure) } }
        store.whenRoom { [rooms] in rooms.update { $0 += 1 } }
    }

    /// Puts bytes of the file, or of another version; returns the last answer.
    @discardableResult
    func put(_ range: ByteRange, of version: Resource? = nil) throws -> PutAnswer {
        let resource = version ?? resource
        var (start, answer) = (range.start, PutAnswer.taken)
        while start < range.end {
            let end = min(start + 1_000_000, range.end)
            let bytes = resource.bytes(ByteRange(start, end))
            answer = try bytes.withUnsafeBytes { try store.put($0, at: start) }
            start = end
        }
        return answer
    }

    /// Puts the whole file.
    func putAll() throws { try put(ByteRange(0, resource.size)) }

    /// Begins with another version of the file.
    func reset(to version: Resource) throws {
        try store.reset(
            representation: Representation(total: version.size),
            source: scene.origin.url("/disk.bin"),
            mark: nil
        )
    }

    /// Completes the object of the file, or of another version.
    func finish(_ version: Resource? = nil) async throws -> FinishedTarget {
        let resource = version ?? resource
        let complete = CompleteTarget(
            store: store,
            total: resource.size,
            isLengthVerified: true,
            digests: VerifiedDigests(),
            epoch: store.trustEpoch
        )
        return try await target.finishing.finish(complete)
    }

    /// Ends the use of the store.
    func end() async {
        store.close()
        await target.work?.end()
        await work.value
    }
}
