internal import PawlCore
internal import PawlEngine
internal import PawlFleet
internal import Synchronization
internal import struct FoundationEssentials.URL

/// What the opening, the work and the finishing of one run share.
final class ObjectRun: Sendable {
    private struct State {
        var address: ObjectService.Address
        /// The object that the response has named, without a number.
        var named: ObjectService.Address?
        /// The entity tag of the object that may be replaced; `nil` if none may be.
        var replaced: String?
        var store: ObjectStore?
    }

    let service: ObjectService
    let checksum: ChecksumPolicy
    /// The URL of the download.
    private let source: URL
    /// Wakes the work when a part is to be sent.
    let work = Wakeup()
    private let state: Mutex<State>

    init(
        _ service: ObjectService,
        at address: ObjectService.Address,
        of source: URL,
        checksum: ChecksumPolicy
    ) {
        (self.service, self.source, self.checksum) = (service, source, checksum)
        state = Mutex(State(address: address))
    }

    var destination: ObjectDestination { service.destination }

    /// Whether the user has given a digest of the file.
    var isVerified: Bool { checksum.isGiven }

    /// The state of an upload that is being completed.
    var completing: RecordedUpload.State { isVerified ? .completingVerified : .completing }

    /// The object to be written.
    var address: ObjectService.Address {
        get { state.withLock { $0.address } }
        set { state.withLock { $0.address = newValue } }
    }

    /// The entity tag of the object that may be replaced.
    var replaced: String? {
        get { state.withLock { $0.replaced } }
        set { state.withLock { $0.replaced = newValue } }
    }

    /// The store; `nil` until it is open.
    var store: ObjectStore? {
        get { state.withLock { $0.store } }
        set { state.withLock { $0.store = newValue } }
    }

    /// The condition under which the object is written.
    var condition: WriteCondition { replaced.map { .unchanged(tag: $0) } ?? .absent }

    /// Returns a mark for a new upload.
    func newMark() -> ObjectMark {
        let owner = destination.owner
        let token = UInt64.random(in: .min ... .max)
        return ObjectMark(
            queue: owner.queue,
            download: owner.download,
            upload: token.hexadecimal
        )
    }

    /// Returns what is stored with the object.
    func facts(_ representation: Representation, _ mark: ObjectMark) -> ObjectFacts {
        ObjectFacts(
            contentType: representation.mediaType,
            metadata: [Self.markName: mark.text]
        )
    }

    static let markName = "pawl"

    /// Returns the object as the judge sees it.
    func judged(_ head: ObjectHead) -> CompletionJudge.Object {
        CompletionJudge.Object(
            bytes: head.bytes,
            entityTag: head.tag,
            mark: head.metadata[Self.markName].flatMap { ObjectMark(parsing: $0) }
        )
    }

    // MARK: - The name

    /// Whether the response names the object, and was not received yet.
    var isUnnamed: Bool { destination.isFolder && state.withLock { $0.named == nil } }

    /// Names the object in the folder of the destination.
    func name(after response: TargetResponse) throws(DownloadError) {
        let name = response.suggestedName(of: source).utf8.percentEncoded()
        let url = try ObjectAddress.parse(destination.url.absoluteString + name)
        guard let named = service.address(url) else {
            throw .usage("\(url.redacted) does not name an object")
        }
        state.withLock { ($0.address, $0.named) = (named, named) }
    }

    /// Lets the object of an earlier run of this download be replaced.
    func replace(_ object: CompletionJudge.Object, at address: ObjectService.Address) {
        state.withLock { state in
            (state.address, state.named) = (address, address)
            state.replaced = object.entityTag
        }
    }

    // MARK: - Names that are taken

    /// What follows if another object is under the key.
    enum Taken {
        /// It may be replaced.
        case replace(tag: String)
        /// It is kept, and the download ends.
        case keep(FinishedTarget)
        /// The object gets another name.
        case rename(ObjectService.Address)
    }

    /// Decides what follows if another object is at an address.
    ///
    /// Throws `.fileExists` if the download fails.
    func taken(
        _ address: ObjectService.Address,
        by object: CompletionJudge.Object
    ) async throws(DownloadError) -> Taken {
        switch destination.ifExists {
        case .overwrite: return .replace(tag: object.entityTag)
        case .skip:
            return .keep(
                FinishedTarget(
                    path: address.url.absoluteString,
                    name: address.name,
                    size: object.bytes,
                    wasThere: true
                )
            )
        case .rename: return .rename(try await freeAddress(beside: address))
        case .fail:
            throw DownloadError(
                .fileExists,
                "there is an object \(address.text) already",
                advice: "choose \(.otherName), or \(set: .ifExists, to: "rename")"
            )
        }
    }

    private static let mostNumbers = 1_000

    private func freeAddress(
        beside address: ObjectService.Address
    ) async throws(DownloadError) -> ObjectService.Address {
        let given =
            destination.isFolder
            ? state.withLock { $0.named } : service.address(destination.url)
        let original = given ?? address
        for number in 1...Self.mostNumbers {
            guard let url = original.numbered(number), let candidate = service.address(url) else {
                break
            }
            if try await object(at: candidate) == nil { return candidate }
        }
        throw DownloadError(.fileExists, "all names beside \(original.text) are taken")
    }

    /// Returns the object at an address; `nil` if there is none, or if it is not allowed to look.
    func object(
        at address: ObjectService.Address
    ) async throws(DownloadError) -> CompletionJudge.Object? {
        do throws(ObjectFailure) {
            return try await service.object(at: address).map(judged)
        } catch .refused(let refusal) where refusal.status == 403 {
            // Some keys may only write. The condition of the last request protects other objects.
            return nil
        } catch {
            throw error.error("looking for an object", of: address)
        }
    }
}
