internal import Logging
internal import PawlCore
internal import PawlStorage
internal import Synchronization
internal import SystemPackage

/// Whether an existing file is the server's file, if no validator can decide.
extension DownloadDriver {
    private static let patience: Duration = .seconds(5)

    /// Fetches two samples and compares them.
    ///
    /// If anything goes wrong, nothing is proven.
    func hasSamples(
        of path: FilePath,
        _ head: ResponseHead,
        _ representation: Representation
    ) async -> Bool {
        guard HeadJudge.acceptsRanges(head, representation), let total = representation.total
        else { return false }
        for range in SampleSink.ranges(total: total) {
            guard let bytes = await sample(range, head, representation) else { return false }
            // A sample that cannot be read counts as different.
            let isSame = try? await engine.disk.run { () throws(DownloadError) in
                try ExistingFile.has(bytes, at: range.start, path)
            }
            guard isSame == true else { return false }
        }
        logger.notice("\(path) exists: its URL, length and two samples match the server's file")
        return true
    }

    /// Fetches a sample over one more connection; `nil` if the host has no free connection now.
    private func sample(
        _ range: ByteRange,
        _ head: ResponseHead,
        _ representation: Representation
    ) async -> [UInt8]? {
        let host = HostBudget.name(of: head.url)
        let wasGranted = Mutex(false)
        let ticket = engine.budgets.enroll { _ in wasGranted.withLock { $0 = true } }
        let isGranted = engine.budgets.request(host, ticket, isFirst: false)
        defer {
            engine.budgets.resign(ticket)
            // The connection may have been granted after this request was withdrawn.
            if isGranted || wasGranted.withLock({ $0 }) { engine.budgets.release(host) }
        }
        guard isGranted else { return nil }
        return await fetch(range, head, representation)
    }

    private func fetch(
        _ range: ByteRange,
        _ head: ResponseHead,
        _ representation: Representation
    ) async -> [UInt8]? {
        var request = TransferRequest(
            head.url,
            range: range,
            settings: job.settings,
            original: job.url
        )
        request.cookies = job.cookies ?? engine.cookies
        let sample = Completion<[UInt8]?>()
        let sink = SampleSink(range, of: representation) { sample.complete(with: $0) }
        let transfer = engine.transport.start(request, sink: sink)
        let alarm = engine.alarms.enroll { transfer.cancel() }
        defer { engine.alarms.resign(alarm) }
        engine.alarms.set(alarm, at: engine.time.now() + Self.patience)
        return await withTaskCancellationHandler {
            await sample.waitIgnoringCancellation()
        } onCancel: {
            transfer.cancel()
        }
    }
}
