internal import Logging
internal import PawlCore
internal import PawlStorage
internal import struct FoundationEssentials.URL

/// The actions that the planner requests.
extension DownloadDriver {
    /// Carries out one action.
    ///
    /// Returns the actions that follow from it immediately.
    func perform(_ action: DownloadAction) async -> [DownloadAction] {
        switch action {
        case .requestSlot(let host):
            let isFirst = transfers.isEmpty
            if isFirst, takeStream(host) { return follow(.slotGranted(host: host)) }
            if engine.budgets.request(host, ticket, isFirst: isFirst) {
                return follow(.slotGranted(host: host))
            }
        case .withdrawSlotRequest(let host): engine.budgets.withdraw(host, ticket)
        case .releaseSlot(let host): release(host)
        case .open(let order): open(order)
        case .setEnd(let id, let end, let isProven):
            transfers[id]?.cursor.currentEdge = TransferCursor.Edge(end: end, isProven: isProven)
        case .close(let id):
            mayMultiplex = false
            transfers[id]?.transfer.cancel()
        case .resumeTransfer(let id, let skipUntil, let comparing):
            join()
            transfers[id]?.awaitsFile = false
            // Bytes received in memory are not compared: they are written from the first byte.
            let start = comparing && collected[id] != nil ? 0 : skipUntil
            if comparing { transfers[id]?.cursor.compares() }
            transfers[id]?.cursor.begin(at: start)
            await writeCollected(id, from: start)
            // Somebody who sees the bytes may ask at once whether they can be resumed.
            noteLearned()
            transfers[id]?.transfer.resume()
            monitor.agreed()
            monitor.entered(.receiving)
        case .openStore(let id, let representation):
            return await openStore(for: id, representation)
        case .resetStore(let id, let representation):
            return await resetStore(for: id, representation)
        case .restrictLedger(let durable): restrict(to: durable)
        case .updateRepresentation(let representation): await learn(representation)
        case .backOffHost(let host, let duration): engine.budgets.close(host, for: duration)
        case .log(let text): logger.notice("\(text.sanitized)")
        case .notice(let text): report([text])
        case .complete(let total): await complete(total)
        case .fail(let error): fail(error)
        }
        return []
    }

    /// Takes a stream of a shared connection for the first request.
    ///
    /// It does not count as one of the host's connections.
    private func takeStream(_ host: String) -> Bool {
        guard mayMultiplex, streamHost == nil, !context.limits.isLimited,
            planner.representation == nil,
            engine.budgets.requestStream(host)
        else { return false }
        streamHost = host
        return true
    }

    func release(_ host: String) {
        guard streamHost == host else { return engine.budgets.release(host) }
        streamHost = nil
        engine.budgets.releaseStream(host)
    }

    func follow(_ event: DownloadEvent) -> [DownloadAction] {
        planner.handle(event, at: engine.time.now())
    }

    private func open(_ order: TransferOrder) {
        logger.debug(
            "\(order.id) requests \(order.range?.description ?? "all") of \(order.url.redacted)"
        )
        if order.pinned != nil { join() }
        let cursor = TransferCursor(start: order.start, end: order.end)
        if order.comparesBytes { cursor.compares() }
        if order.isEndProven { cursor.currentEdge.isProven = true }
        monitor.bytes.opened(order.id, cursor, from: Self.shownHost(of: order.url))
        let sink = SegmentSink(order: order, cursor: cursor, context: context)
        var request = requests.request(for: order)
        request.multiplexes = multiplexes(order)
        let transfer = engine.transport.start(request, sink: sink)
        transfers[order.id] = RunningTransfer(transfer: transfer, cursor: cursor)
        if context.store.current != nil { monitor.entered(.receiving) }
    }

    /// The host without any part of the URL that could be a secret, written as browsers do.
    private static func shownHost(of url: URL) -> String? {
        guard let host = url.shownHost else { return nil }
        let usual = url.scheme?.lowercased() == "https" ? 443 : 80
        let port = url.port.flatMap { $0 == usual ? nil : ":\($0)" } ?? ""
        return (host + port).sanitized(atMost: 260)
    }

    /// Whether the request may share a connection.
    ///
    /// If other downloads use the same host, first requests share one, because most files are
    /// small.
    ///
    /// Segments have connections of their own, and so have all transfers if a limit slows single
    /// transfers. A request that failed is not repeated over a shared connection.
    private func multiplexes(_ order: TransferOrder) -> Bool {
        guard mayMultiplex, order.pinned == nil, order.range == nil, !context.limits.isLimited
        else {
            return false
        }
        let host = HostBudget.name(of: order.url)
        return streamHost == host || engine.budgets.isShared(host)
    }

    /// Records what a head reports besides the bytes: whether the length can be verified, and a
    /// digest.
    func noteHead(_ head: ResponseHead, _ verdict: HeadVerdict) {
        if !head.protocolVersion.hasPrefix("HTTP/1") {
            engine.budgets.noteMultiplexing(HostBudget.name(of: head.url))
        }
        switch verdict {
        case .pin, .whole:
            monitor.answered(head, isFirst: verdict.isPin && untouched == nil)
            // HTTP/2 and later frame every body, so that a truncated one is detected.
            isLengthVerified =
                head["Content-Length"] != nil || head["Transfer-Encoding"] != nil
                || !head.protocolVersion.hasPrefix("HTTP/1")
        case .write(_, let representation):
            monitor.answered(head)
            monitor.agreed()
            digests.note(representation)
        default: break
        }
    }
}
