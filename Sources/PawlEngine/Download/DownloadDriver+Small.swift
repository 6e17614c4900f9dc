internal import Logging
internal import PawlCore
internal import PawlStorage
internal import SystemPackage

/// A small file that was received completely before a checkpoint was due.
extension DownloadDriver {
    /// The number of attempts.
    ///
    /// After a failed sync the file is written again from memory.
    private static let mostAttempts = 3

    func arrived(_ id: TransferID, _ body: SmallBody) async {
        guard transfers[id] != nil else { return }
        monitor.sized(body.representation.total)
        noteHead(body.head, body.verdict)
        let prepare = finisher.preparation(
            of: body,
            source: planner.sourceText(pinnedBy: id),
            resolver,
            absent: absent,
            logger
        )
        // There is nothing left to plan, so the connection is released for others.
        for action in follow(.abandoned) { _ = await perform(action) }
        await ended(id, offset: Int64(body.bytes.count), .completed)
        if engine.smallBodies.isRoomy { whenFetched() }
        monitor.entered(.verifying)
        await attempt { () async throws(DownloadError) in
            for attempt in 1...Self.mostAttempts {
                switch try await self.finisher.finish(prepare) {
                case .named(let named): return self.succeed(named)
                case .durable: throw DownloadError(.unknown, "the file has no name")
                case .syncFailed(let error):
                    guard attempt < Self.mostAttempts else { throw error }
                    self.logger.warning("\(error.message): writing the file again")
                }
            }
        }
    }

    /// Writes the body to a file like that of a large file.
    ///
    /// The planner lets the transfer continue after these bytes.
    func show(_ id: TransferID, _ body: SmallBody) async {
        guard transfers[id] != nil else { return }
        heads[id] = body.head
        noteHead(body.head, body.verdict)
        collected[id] = body
        await tell(.headJudged(id, body.verdict))
        collected[id] = nil
    }

    /// Keeps the bytes of a body that broke off like those of any other file.
    func brokeOff(_ id: TransferID, _ body: SmallBody, _ end: TransferEnd) async {
        await show(id, body)
        if outcome == nil {
            await ended(id, end, nil)
        } else {
            mailbox.post(.brokeOff(id, body, end))
        }
    }

    /// Writes the collected bytes before the transfer continues, and claims them at once because
    /// they are overdue.
    func writeCollected(_ id: TransferID, from start: Int64) async {
        guard let body = collected[id], let cursor = transfers[id]?.cursor,
            let store = context.store.current
        else { return }
        await attempt { () async throws(DownloadError) in
            try await self.engine.disk.run { () throws(DownloadError) in
                try store.write(body.bytes, from: start)
            }
            cursor.caughtUp(to: max(start, Int64(body.bytes.count)))
            self.context.unclaimed.wrote(body.bytes.count)
            try await self.saveCheckpoint()
        }
    }

    /// After the end of the download, keeps the bytes in memory as if they had been written before.
    func keepCollected(_ body: SmallBody) async {
        guard case .failure = outcome, context.store.current == nil, !body.bytes.isEmpty
        else { return }
        let (resolver, absent) = (resolver, absent)
        let source = planner.sourceText(pinnedBy: nil)
        do throws(DownloadError) {
            let found = try await engine.disk.run { () throws(DownloadError) in
                let found = try resolver.open(
                    body.head,
                    body.representation,
                    nil,
                    source: source,
                    absent: absent
                )
                if case .created(let store, _) = found { try store.write(body.bytes) }
                return found
            }
            switch found {
            case .created(let store, _):
                context.store.current = store
                let have = RangeSet(ByteRange(0, Int64(body.bytes.count)))
                monitor.opened(store, have: have, resumed: 0)
            case .resumable(let store, _): store.close()
            case .alreadyThere, .nothing, .undecided, .likely: break
            }
        } catch {
            logger.warning("cannot keep the received bytes: \(error)")
        }
    }

    private func succeed(_ named: SmallFileFinisher.Named) {
        monitor.named(named.path.lastComponent?.string ?? "")
        var file = DownloadedFile(path: named.path.string, byteCount: named.size)
        file.wasAlreadyThere = named.wasAlreadyThere
        file.isLengthVerified = isLengthVerified
        outcome = .success(file)
    }
}
