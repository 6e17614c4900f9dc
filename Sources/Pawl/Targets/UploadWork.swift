internal import PawlCore
internal import PawlEngine
internal import PawlFleet
internal import PawlStorage
internal import Synchronization

/// Sends the parts of one download to the service, and records those that it has acknowledged.
final class UploadWork: TargetWork {
    private struct Acknowledged {
        var job: ObjectStore.Job
        var part: UploadedPart
        /// The identifier of the upload that has the part.
        var upload: String
    }

    private struct State {
        var hasEnded = false
        /// The parts that the service has acknowledged and that are not recorded.
        var acknowledged: [Acknowledged] = []
        var isRecording = false
        /// Ends the wait for the parts on their way after the download was stopped.
        var alarm: AlarmClock.Ticket?
    }

    /// The longest time for which a request that begins an upload is awaited at the end.
    private static let longestBeginning = Duration.seconds(5)
    /// The longest time for which uploads are aborted at the end.
    private static let longestCleaning = Duration.seconds(30)

    private let object: ObjectRun
    private let state = Mutex(State())
    private let hasRun = Completion<Void>()

    init(_ object: ObjectRun) { self.object = object }

    private var service: ObjectService { object.service }

    func run() async {
        await withDiscardingTaskGroup { group in
            while !state.withLock({ $0.hasEnded }) {
                guard let store = object.store, let job = store.nextJob() else {
                    await object.work.waitIgnoringCancellation()
                    continue
                }
                let upload = await upload(for: job, store)
                // Another version of the file may have begun meanwhile.
                guard let upload, store.isWanted(job) else {
                    store.ended(job)
                    continue
                }
                group.addTask {
                    await self.send(job, to: upload, store)
                    store.ended(job)
                }
            }
        }
        hasRun.complete()
    }

    // MARK: - Parts

    /// Returns the upload; `nil` if it could not be begun, which the store has been told, or if
    /// another version of the file has begun meanwhile.
    private func upload(
        for job: ObjectStore.Job,
        _ store: ObjectStore
    ) async -> ObjectPlan.Upload? {
        if let upload = store.plan.upload { return upload }
        do throws(DownloadError) {
            try await abortFormer(store)
            return try await begin(store, job)
        } catch {
            store.fail(error)
            return nil
        }
    }

    private func begin(
        _ store: ObjectStore,
        _ job: ObjectStore.Job
    ) async throws(DownloadError) -> ObjectPlan.Upload? {
        let (beginnings, mark) = (store.plan.beginnings, object.newMark())
        let facts = object.facts(store.representation, mark)
        let begun: MultipartUpload
        do throws(ObjectFailure) {
            begun = try await service.begin(at: store.address, facts) { store.isWanted(job) }
        } catch {
            throw error.error("beginning the upload", of: store.address)
        }
        let upload = ObjectPlan.Upload(upload: begun, mark: mark, attempt: 0)
        let isSet = store.setUpload(upload, of: beginnings)
        var plan = store.plan
        if !isSet { plan.upload = upload }
        let recorded = plan.recorded(at: store.address, isSet ? .open : .aborting)
        guard let recorded else { return upload }
        let ledger = object.destination.ledger
        do throws(DownloadError) {
            try await service.blocking { () throws(DownloadError) in try ledger.record(recorded) }
        } catch {
            // Without a record, no later run would abort it.
            if isSet { store.putBack(begun) }
            throw error
        }
        return isSet ? upload : nil
    }

    private func abortFormer(_ store: ObjectStore) async throws(DownloadError) {
        for upload in store.takeFormer() {
            do throws(DownloadError) {
                try await abort(upload, store)
            } catch {
                store.putBack(upload)
                throw error
            }
        }
    }

    private func abort(
        _ upload: MultipartUpload,
        _ store: ObjectStore,
        atMost limit: Int = .max,
        for purpose: ObjectService.Purpose = .control
    ) async throws(DownloadError) {
        try await service.abort(
            UploadAbortion(upload, at: store.address),
            atMost: limit,
            for: purpose
        )
    }

    private func send(
        _ job: ObjectStore.Job,
        to upload: ObjectPlan.Upload,
        _ store: ObjectStore
    ) async {
        let numbers = PartNumbers(parts: store.plan.grid.count)
        let number = numbers.number(of: job.index, attempt: upload.attempt)
        let content = upload.upload.part(number, job.content)
        let sha256 = await sha256(of: job, store)
        if let known = job.known, let sha256, known.sha256 == sha256 {
            return store.recorded([(job, known)])
        }
        do throws(ObjectFailure) {
            var part = try await service.repeating(
                // What was streamed is gone.
                atMost: job.isStreamed ? 0 : .max,
                while: { store.isWanted(job) },
                for: .content,
                content.request
            ) { (reply) throws(ObjectFailure) in
                try upload.upload.uploadedPart(number, content, reply)
            }
            part.sha256 = sha256
            await acknowledged(
                Acknowledged(job: job, part: part, upload: upload.upload.id),
                store
            )
        } catch {
            failed(job, error, store)
        }
    }

    /// Returns the SHA-256 of a part that this run or a later one compares; `nil` for others.
    ///
    /// The checksum that the service gets is no proof, because anybody can make other bytes with it.
    private func sha256(of job: ObjectStore.Job, _ store: ObjectStore) async -> [UInt8]? {
        guard store.plan.isCompared, case .memory(let bytes) = job.content else { return nil }
        // Without it, the part is sent again.
        return try? await service.blocking { () throws(DownloadError) in
            SHA256.digest(of: bytes)
        }
    }

    private func failed(
        _ job: ObjectStore.Job,
        _ failure: ObjectFailure,
        _ store: ObjectStore
    ) {
        guard store.isWanted(job) else { return }
        let error = failure.error("uploading part \(job.index + 1)", of: store.address)
        if failure.isWithoutUpload {
            store.lose(error, of: job, forgetsAll: true)
        } else if job.isStreamed, failure.isTemporary {
            store.lose(error, of: job)
        } else {
            store.fail(error)
        }
    }

    // MARK: - Recording

    /// Records a part, together with those that are acknowledged meanwhile.
    private func acknowledged(_ part: Acknowledged, _ store: ObjectStore) async {
        let isFirst = state.withLock { state in
            state.acknowledged.append(part)
            defer { state.isRecording = true }
            return !state.isRecording
        }
        guard isFirst else { return }
        while let batch = nextBatch() {
            var wanted = batch.filter { store.isWanted($0.job) }
            // The last one is of the current upload; others may have been lost meanwhile.
            guard let upload = wanted.last?.upload else { continue }
            wanted.removeAll { $0.upload != upload }
            let ledger = object.destination.ledger
            let parts = wanted.map { RecordedPart(index: $0.job.index, part: $0.part) }
            do throws(DownloadError) {
                try await service.blocking { () throws(DownloadError) in
                    try ledger.record(parts, of: upload)
                }
                store.recorded(wanted.map { ($0.job, $0.part) })
            } catch {
                store.fail(error)
            }
        }
    }

    private func nextBatch() -> [Acknowledged]? {
        state.withLock { state in
            guard !state.acknowledged.isEmpty else {
                state.isRecording = false
                return nil
            }
            defer { state.acknowledged = [] }
            return state.acknowledged
        }
    }

    // MARK: - The end

    /// The number of times that an abort is repeated at the end, for which the user waits.
    private static let lastRetries = 2

    func stop() {
        let service = service
        service.cancel(upTo: .control)
        object.store?.stopWaiting()
        // A request that stores the whole file may have an effect, too, if it is cancelled.
        let alarm = service.setAlarm(after: ObjectStore.settlingTime) {
            service.cancel(upTo: .content)
        }
        let isNeeded = state.withLock { state in
            guard !state.hasEnded, state.alarm == nil else { return false }
            state.alarm = alarm
            return true
        }
        if !isNeeded { service.resign(alarm) }
    }

    func end() async {
        let service = service
        let stopping = state.withLock { state in
            state.hasEnded = true
            return state.alarm
        }
        if let stopping { service.resign(stopping) }
        object.work.send()
        service.cancel(upTo: .content)
        // An upload whose beginning is not awaited would never be aborted.
        await withLimit(Self.longestBeginning, for: .beginning) {
            await hasRun.waitIgnoringCancellation()
        }
        guard let store = object.store else { return }
        await withLimit(Self.longestCleaning, for: .cleaning) { await abortAtEnd(store) }
    }

    /// Runs something whose requests are cancelled after a time.
    private func withLimit(
        _ duration: Duration,
        for purpose: ObjectService.Purpose,
        _ body: () async -> Void
    ) async {
        let service = service
        let alarm = service.setAlarm(after: duration) { service.cancel(upTo: purpose) }
        await body()
        service.resign(alarm)
    }

    /// Aborts the uploads that nobody will continue.
    ///
    /// If that fails, the next run of the download does it.
    private func abortAtEnd(_ store: ObjectStore) async {
        var uploads = store.takeFormer()
        let plan = store.plan
        if plan.isDiscarded, let upload = plan.upload { uploads.append(upload.upload) }
        guard !uploads.isEmpty else { return }
        let ledger = object.destination.ledger
        do throws(DownloadError) {
            for upload in uploads {
                try await abort(upload, store, atMost: Self.lastRetries, for: .cleaning)
            }
            // A new upload has replaced the record of earlier ones.
            guard plan.isDiscarded || plan.upload == nil else { return }
            try await service.blocking { () throws(DownloadError) in try ledger.forget() }
        } catch {
            service.report("an upload to \(store.place) could not be aborted: \(error.message)")
            guard plan.isDiscarded, let recorded = plan.recorded(at: store.address, .aborting)
            else { return }
            // Without the record, whoever cleans the bucket aborts the upload.
            _ = try? await service.blocking { () throws(DownloadError) in
                try ledger.record(recorded)
            }
        }
    }
}
