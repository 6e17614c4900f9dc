internal import PawlCore
internal import PawlEngine
internal import PawlFleet
internal import PawlStorage
internal import struct FoundationEssentials.URL

/// Finds the upload of an earlier run, or opens the store of a new one.
struct ObjectOpening: TargetOpening {
    private let run: ObjectRun

    init(_ run: ObjectRun) { self.run = run }

    var expectedName: String { run.address.name }

    private var service: ObjectService { run.service }
    private var ledger: any PartLedger { run.destination.ledger }

    func findBeforeAsking() async throws(DownloadError) -> TargetFinding {
        let ledger = ledger
        let found = try await service.blocking { () throws(DownloadError) in
            try ledger.recorded()
        }
        switch found {
        case .nothing: return try await lookForObject(notes: [])
        case .damaged(let name):
            if let name { try await abort(name) }
            return try await lookForObject(
                notes: ["the record of an earlier upload is damaged: it begins again"]
            )
        case .upload(let recorded, let parts):
            guard run.destination.resumes else { return try await startOver(recorded.name, nil) }
            return try await resume(recorded, parts)
        }
    }

    func open(
        _ response: TargetResponse,
        drop: () async -> Void
    ) async throws(DownloadError) -> TargetFinding {
        if run.isUnnamed {
            try run.name(after: response)
            let found = try await lookForObject(notes: [])
            if case .alreadyThere = found { return found }
        }
        let plan = ObjectPlan(
            response.representation,
            source: response.source,
            isVerified: run.isVerified
        )
        guard let plan else { throw ObjectStore.tooLarge(run.address) }
        let store = ObjectStore(plan, at: run.address, of: service, work: run.work)
        run.store = store
        var notes: [String] = []
        if plan.reading != .anywhere, response.digest != nil, !run.isVerified {
            notes.append(Self.unverified)
        }
        return .created(store, notes: notes)
    }

    private static let unverified =
        "a digest that only the server names is not verified for an object in parts"

    private static let storedUnverified =
        "an earlier run has stored the object without verifying its digest: it is downloaded again"

    // MARK: - The name

    /// Looks whether the name is taken before anything is fetched.
    private func lookForObject(notes: [String]) async throws(DownloadError) -> TargetFinding {
        if !run.isUnnamed, let object = try await run.object(at: run.address) {
            switch try await run.taken(run.address, by: object) {
            case .keep(let target): return .alreadyThere(target)
            case .replace(let tag): run.replaced = tag
            case .rename(let address): run.address = address
            }
        }
        return .nothing(notes: notes, absent: nil)
    }

    // MARK: - An earlier upload

    private func resume(
        _ recorded: RecordedUpload,
        _ parts: [RecordedPart]
    ) async throws(DownloadError) -> TargetFinding {
        guard let url = URL(string: recorded.name.address), let address = service.address(url),
            let mark = ObjectMark(parsing: recorded.mark)
        else { return try await startOver(recorded.name, "the record of the upload is not valid") }
        // The upload may have been completed just before the earlier run ended.
        if let object = try await run.object(at: address) {
            // The mark is that of this upload alone. The length may not have been known.
            let total = recorded.representation.total
            if object.mark == mark, total == nil || total == object.bytes {
                guard run.isVerified, recorded.state != .completingVerified else {
                    return .alreadyThere(try await finished(at: address, object))
                }
                // The record stays until that of the next upload replaces it.
                run.replace(object, at: address)
                return .nothing(notes: [Self.storedUnverified], absent: nil)
            }
            guard recorded.name.hasUpload, recorded.state != .aborting else {
                return try await startOver(recorded.name, nil)
            }
            switch try await run.taken(address, by: object) {
            case .keep(let target):
                try await abort(recorded.name)
                return .alreadyThere(target)
            case .replace(let tag): run.replaced = tag
            case .rename: return try await startOver(recorded.name, "its object's name is taken")
            }
        }
        guard recorded.name.hasUpload, recorded.state != .aborting,
            let plan = ObjectPlan(recorded, isVerified: run.isVerified)
        else { return try await startOver(recorded.name, nil) }
        run.address = address
        let upload = MultipartUpload(recorded.name.id, of: address.target)
        // A part that cannot be of the file is received again.
        let possible = parts.filter { plan.contains($0) }
        guard let kept = try await partsThere(upload, possible, address) else {
            try await forget()
            return try await lookForObject(
                notes: ["the earlier upload to \(address.text) does not exist any more"]
            )
        }
        return try await continueUpload(
            recorded,
            plan,
            ObjectPlan.Upload(upload: upload, mark: mark, attempt: recorded.attempt + 1),
            kept
        )
    }

    /// Continues an upload with its parts; other numbers of parts count from now on.
    private func continueUpload(
        _ recorded: RecordedUpload,
        _ plan: ObjectPlan,
        _ upload: ObjectPlan.Upload,
        _ parts: [Int: UploadedPart]
    ) async throws(DownloadError) -> TargetFinding {
        var (plan, recorded) = (plan, recorded)
        (recorded.attempt, recorded.state) = (upload.attempt, .open)
        let (ledger, record) = (ledger, recorded)
        try await service.blocking { () throws(DownloadError) in try ledger.record(record) }
        plan.upload = upload
        let store = ObjectStore(
            plan,
            at: run.address,
            of: service,
            recorded: parts,
            work: run.work
        )
        run.store = store
        return .resumable(
            store,
            Recovery(
                representation: recorded.representation,
                source: recorded.source,
                // A digest needs all bytes; those that the service has are not sent again.
                have: run.isVerified ? RangeSet() : store.durable,
                // Whether the server names a digest is not known before it responds.
                notes: run.checksum == .automatic ? [Self.unverified] : []
            )
        )
    }

    /// Returns the recorded parts that the service has, too; `nil` if there is no such upload.
    private func partsThere(
        _ upload: MultipartUpload,
        _ recorded: [RecordedPart],
        _ address: ObjectService.Address
    ) async throws(DownloadError) -> [Int: UploadedPart]? {
        var listed: [Int: ListedPart]?
        do throws(ObjectFailure) {
            listed = try await service.parts(of: upload)
        } catch let failure where failure.isWithoutUpload {
            return nil
        } catch .refused(let refusal) where !refusal.isTemporary {
            // Whoever may not list parts may complete them, and the service compares them then.
            listed = nil
        } catch {
            throw error.error("listing the parts", of: address)
        }
        let there = recorded.filter { part in
            listed.map { $0[part.part.number]?.matches(part.part) == true } ?? true
        }
        return Dictionary(there.map { ($0.index, $0.part) }) { $1 }
    }

    private func finished(
        at address: ObjectService.Address,
        _ object: CompletionJudge.Object
    ) async throws(DownloadError) -> FinishedTarget {
        let ledger = ledger
        try await service.blocking { () throws(DownloadError) in try ledger.finish() }
        return FinishedTarget(
            path: address.url.absoluteString,
            name: address.name,
            size: object.bytes
        )
    }

    private func startOver(
        _ name: UploadName,
        _ reason: String?
    ) async throws(DownloadError) -> TargetFinding {
        try await abort(name)
        let notes = reason.map { ["\($0): the upload begins again"] } ?? []
        return try await lookForObject(notes: notes)
    }

    /// Aborts an upload, if there is one, and forgets it.
    private func abort(_ name: UploadName) async throws(DownloadError) {
        if let abortion = UploadAbortion(name, run.destination.template) {
            try await service.abort(abortion)
        }
        try await forget()
    }

    private func forget() async throws(DownloadError) {
        let ledger = ledger
        try await service.blocking { () throws(DownloadError) in try ledger.forget() }
    }
}
