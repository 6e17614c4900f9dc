internal import PawlCore
internal import PawlEngine
internal import PawlFleet
internal import struct FoundationEssentials.URL

/// Makes an object of the bytes: with one request if they are few, otherwise of the parts that the
/// service has.
struct ObjectFinishing: TargetFinishing {
    /// The number of times that a request is repeated because what is under the key is not final.
    private static let mostRounds = 12

    private let run: ObjectRun

    init(_ run: ObjectRun) { self.run = run }

    private var service: ObjectService { run.service }

    func finish(_ complete: CompleteTarget) async throws(DownloadError) -> FinishedTarget {
        guard let store = run.store else {
            throw DownloadError(.unknown, "the download ended without a store")
        }
        if let bytes = store.wholeFile(total: complete.total) {
            return try await put(bytes, store)
        }
        let parts = try await store.allParts(total: complete.total, epoch: complete.epoch)
        return try await self.complete(parts, complete.total, store)
    }

    func keepAsCorrupt(
        _ store: any TargetStore,
        total: Int64,
        _ error: DownloadError
    ) async throws(DownloadError) -> String? {
        try store.discard()
        // The download closes it no more.
        store.close()
        return nil
    }

    private func finished(_ address: ObjectService.Address, _ bytes: Int64) -> FinishedTarget {
        FinishedTarget(path: address.url.absoluteString, name: address.name, size: bytes)
    }

    // MARK: - One request

    private func put(
        _ bytes: [UInt8],
        _ store: ObjectStore
    ) async throws(DownloadError) -> FinishedTarget {
        var mayBeStored = false
        do throws(DownloadError) {
            return try await put(bytes, store, &mayBeStored)
        } catch {
            if !mayBeStored, store.plan.former.isEmpty {
                // The next run forgets a record that stays.
                _ = try? await forget()
            }
            throw error
        }
    }

    /// - Parameter mayBeStored: Set when a request may have stored the object.
    private func put(
        _ bytes: [UInt8],
        _ store: ObjectStore,
        _ mayBeStored: inout Bool
    ) async throws(DownloadError) -> FinishedTarget {
        let mark = run.newMark()
        let facts = run.facts(store.representation, mark)
        var conditions = true
        for _ in 0..<Self.mostRounds {
            try checkCancellation()
            let address = store.address
            try await recordPut(mark, store)
            let condition = conditions ? run.condition : nil
            let request = ObjectPut(address.target, facts, if: condition)
            let upload = request.upload(.memory(bytes))
            var isStored = false
            do throws(ObjectFailure) {
                _ = try await service.repeating(
                    while: { !service.isCancelled(.control) },
                    for: .content,
                    upload.request
                ) { (reply) throws(ObjectFailure) -> StoredContent in
                    do throws(ObjectFailure) {
                        return try request.stored(upload, reply)
                    } catch {
                        mayBeStored = mayBeStored || !error.hadNoEffect
                        throw error
                    }
                }
                isStored = true
            } catch .refused(let refusal) where refusal.isUnknownRequest && conditions {
                conditions = false
                if let target = try await lookWithoutCondition(store) { return target }
            } catch .refused(let refusal) where refusal.isConflict {
                await service.pause(for: .milliseconds(200))
            } catch .refused(let refusal) where refusal.isConditionUnmet {
                let judge = CompletionJudge(
                    mark: mark,
                    bytes: Int64(bytes.count),
                    replaced: run.replaced
                )
                guard let content = await look(address) else {
                    throw ObjectFailure.refused(refusal).error("storing the bytes", of: address)
                }
                let verdict = judge.judgePut(content)
                if let target = try await resolve(verdict, store, judge.bytes) { return target }
            } catch {
                try checkCancellation()
                throw error.error("storing the bytes", of: address)
            }
            guard isStored else { continue }
            mayBeStored = true
            try await finishRecord(store)
            return finished(address, Int64(bytes.count))
        }
        throw undecided(store.address)
    }

    // MARK: - Parts

    private func complete(
        _ parts: [UploadedPart],
        _ total: Int64,
        _ store: ObjectStore
    ) async throws(DownloadError) -> FinishedTarget {
        guard let upload = store.plan.upload else {
            throw DownloadError(.unknown, "the parts of \(store.place) have no upload")
        }
        try await record(run.completing, store)
        var answer = CompletionJudge.Answer.notAsked
        var verdict = CompletionJudge.Verdict.completeAgain
        var conditions = true
        for _ in 0..<Self.mostRounds {
            try checkCancellation()
            var unmet: ObjectRefusal?
            if verdict == .completeAgain {
                let condition = conditions ? run.condition : nil
                let sent = await send(upload.upload, parts, condition, store.address)
                switch sent {
                case .answer(let new): answer = new
                case .unmetCondition(let refusal): (answer, unmet) = (.refused, refusal)
                case .unknownCondition:
                    conditions = false
                    if let target = try await lookWithoutCondition(store) { return target }
                    continue
                case .failed(let failure):
                    throw failure.error("completing the upload", of: store.address)
                }
            }
            let judge = CompletionJudge(mark: upload.mark, bytes: total, replaced: run.replaced)
            let content = await look(store.address)
            if content == nil, let unmet {
                throw ObjectFailure.refused(unmet).error("completing the upload", of: store.address)
            }
            verdict = content.map { judge.judge(answer, $0) } ?? Self.verdict(of: answer)
            if verdict == .checkParts {
                try await check(parts, upload.upload, store)
                // The service has all of them.
                verdict = .completeAgain
            }
            if let target = try await resolve(verdict, store, total) { return target }
            await service.pause(for: .milliseconds(200))
        }
        throw undecided(store.address)
    }

    private enum Sent {
        case answer(CompletionJudge.Answer)
        /// There is an object, or another one than that which may be replaced.
        case unmetCondition(ObjectRefusal)
        /// The service does not know the condition.
        case unknownCondition
        case failed(ObjectFailure)
    }

    private func send(
        _ upload: MultipartUpload,
        _ parts: [UploadedPart],
        _ condition: WriteCondition?,
        _ address: ObjectService.Address
    ) async -> Sent {
        do throws(ObjectFailure) {
            _ = try await service.repeating(upload.completion(of: parts, if: condition)) {
                (reply) throws(ObjectFailure) in try upload.completedTag(of: parts, reply)
            }
            return .answer(.accepted)
        } catch .refused(let refusal) {
            if refusal.isUnknownRequest, condition != nil { return .unknownCondition }
            if refusal.isWithoutUpload { return .answer(.noUpload) }
            if refusal.isConditionUnmet { return .unmetCondition(refusal) }
            if refusal.isConflict { return .answer(.refused) }
            if ["InvalidPart", "InvalidPartOrder"].contains(refusal.code) {
                return .answer(.wrongParts)
            }
            return refusal.isTemporary ? .answer(.unknown) : .failed(.refused(refusal))
        } catch .cancelled {
            return .failed(.cancelled)
        } catch {
            return .answer(.unknown)
        }
    }

    /// Forgets the parts that the service does not have, so that they are fetched again.
    private func check(
        _ parts: [UploadedPart],
        _ upload: MultipartUpload,
        _ store: ObjectStore
    ) async throws(DownloadError) {
        let listed: [Int: ListedPart]
        do throws(ObjectFailure) {
            listed = try await service.parts(of: upload)
        } catch {
            throw error.error("listing the parts", of: store.address)
        }
        let wrong = parts.filter { listed[$0.number]?.matches($0) != true }
        guard !wrong.isEmpty else { return }
        let error = DownloadError(
            .network,
            "the service has lost \(wrong.count) parts",
            context: "completing \(store.place)",
            retryClass: .never
        )
        throw store.forget(Set(wrong.map(\.number)), error)
    }

    // MARK: - What is under the key

    /// Returns what is under the key; `nil` if it is not allowed to look.
    private func look(_ address: ObjectService.Address) async -> CompletionJudge.Content? {
        do throws(ObjectFailure) {
            return try await service.object(at: address).map { .object(run.judged($0)) } ?? .nothing
        } catch .refused(let refusal) where refusal.status == 403 {
            return nil
        } catch {
            return .unknown
        }
    }

    /// Returns the verdict of who may not look, and has to believe the answer.
    private static func verdict(of answer: CompletionJudge.Answer) -> CompletionJudge.Verdict {
        switch answer {
        case .accepted: .finished
        case .noUpload: .startOver
        case .wrongParts: .checkParts
        case .refused, .notAsked, .unknown: .completeAgain
        }
    }

    /// Carries out a verdict; returns `nil` if another request follows.
    private func resolve(
        _ verdict: CompletionJudge.Verdict,
        _ store: ObjectStore,
        _ bytes: Int64
    ) async throws(DownloadError) -> FinishedTarget? {
        let address = store.address
        switch verdict {
        case .finished:
            try await finishRecord(store)
            return finished(address, bytes)
        case .adopt(let object):
            try await finishRecord(store)
            return finished(address, object.bytes)
        case .completeAgain, .lookAgain, .checkParts: return nil
        case .startOver:
            try await forget()
            let error = DownloadError(
                .network,
                "the upload to \(address.text) does not exist any more",
                retryClass: .never
            )
            throw store.startOver(at: address, isGone: true, error)
        case .damaged(let object):
            throw DownloadError(
                .badResponse,
                "the object \(address.text) has \(object.bytes) bytes, which is not its length",
                retryClass: .never
            )
        case .occupied(let object): return try await giveWay(to: object, at: address, store)
        }
    }

    /// Handles an object that another program has stored meanwhile.
    private func giveWay(
        to object: CompletionJudge.Object,
        at address: ObjectService.Address,
        _ store: ObjectStore
    ) async throws(DownloadError) -> FinishedTarget? {
        switch try await run.taken(address, by: object) {
        case .replace(let tag):
            run.replaced = tag
            return nil
        case .keep(let target):
            // An upload is forgotten when it was aborted.
            if store.plan.upload == nil, store.plan.former.isEmpty { try await forget() }
            store.discard()
            return target
        case .rename(let other):
            run.address = other
            guard store.plan.upload != nil else {
                store.move(to: other)
                return nil
            }
            // Parts are of one key.
            let error = DownloadError(
                .fileExists,
                "another program has stored \(address.text), so the object gets another name"
            )
            throw store.startOver(at: other, isGone: false, error)
        }
    }

    /// Looks for an object before a request without a condition, which the service does not know.
    ///
    /// Returns what the download ends with if such a request does not follow.
    private func lookWithoutCondition(
        _ store: ObjectStore
    ) async throws(DownloadError) -> FinishedTarget? {
        let address = store.address
        service.report(
            "the service of \(address.text) does not know conditions: an object that another "
                + "program stores at the same time is replaced"
        )
        guard run.replaced == nil, run.destination.ifExists != .overwrite else { return nil }
        let head: ObjectHead?
        do throws(ObjectFailure) {
            head = try await service.object(at: address)
        } catch .refused(let refusal) where refusal.status == 403 {
            // Neither a condition nor a look protects an object that may be there.
            throw DownloadError(
                .unauthorized,
                "it is not allowed to find out whether \(address.text) would be replaced",
                advice: "allow s3:GetObject, or \(set: .ifExists, to: "overwrite")",
                context: "looking for an object of \(address.text)",
                retryClass: .never
            )
        } catch {
            throw error.error("looking for an object", of: address)
        }
        guard let head else { return nil }
        return try await giveWay(to: run.judged(head), at: address, store)
    }

    // MARK: - The record

    private func record(
        _ state: RecordedUpload.State,
        _ store: ObjectStore
    ) async throws(DownloadError) {
        guard let recorded = store.plan.recorded(at: store.address, state) else { return }
        let ledger = run.destination.ledger
        try await service.blocking { () throws(DownloadError) in try ledger.record(recorded) }
    }

    /// Records that one request may store the object, so that a later run finds it by its mark.
    private func recordPut(
        _ mark: ObjectMark,
        _ store: ObjectStore
    ) async throws(DownloadError) {
        let plan = store.plan
        // The record of an upload that has to be aborted is needed more.
        guard plan.former.isEmpty else { return }
        let recorded = RecordedUpload(
            name: UploadName(id: "", address: store.address.url.absoluteString),
            mark: mark.text,
            representation: plan.representation,
            source: plan.source,
            partBytes: plan.grid.partBytes,
            state: run.completing
        )
        let ledger = run.destination.ledger
        try await service.blocking { () throws(DownloadError) in try ledger.record(recorded) }
    }

    private func finishRecord(_ store: ObjectStore) async throws(DownloadError) {
        // The record names an upload that is aborted at the end, and is forgotten then.
        guard store.plan.former.isEmpty else { return }
        let ledger = run.destination.ledger
        try await service.blocking { () throws(DownloadError) in try ledger.finish() }
    }

    private func forget() async throws(DownloadError) {
        let ledger = run.destination.ledger
        try await service.blocking { () throws(DownloadError) in try ledger.forget() }
    }

    private func checkCancellation() throws(DownloadError) {
        guard Task.isCancelled || service.isCancelled(.control) else { return }
        throw DownloadError(.interrupted, "the download was cancelled")
    }

    private func undecided(_ address: ObjectService.Address) -> DownloadError {
        DownloadError(
            .network,
            "it is not known whether \(address.text) was stored",
            advice: "\(.runAgain)",
            retryClass: .later
        )
    }
}
