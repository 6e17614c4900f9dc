internal import PawlCore
internal import PawlStorage
internal import Synchronization
internal import SystemPackage

/// Compares existing files with the file of a response, if no validator can decide.
struct SampleComparison {
    private static let timeout: Duration = .seconds(5)

    private let engine: Engine
    private let requests: DownloadRequests
    private let head: ResponseHead
    private let representation: Representation

    init(
        _ head: ResponseHead,
        _ representation: Representation,
        _ requests: DownloadRequests,
        engine: Engine
    ) {
        (self.head, self.representation) = (head, representation)
        (self.requests, self.engine) = (requests, engine)
    }

    /// Returns whether two samples of the server's file equal those of an existing file.
    ///
    /// If anything goes wrong, nothing is proven.
    func matches(_ path: FilePath) async -> Bool {
        guard HeadJudge.acceptsRanges(head, representation), let total = representation.total
        else { return false }
        for range in SampleSink.ranges(total: total) {
            guard let bytes = await sample(range) else { return false }
            // A sample that cannot be read counts as different.
            let isSame = try? await engine.disk.run { () throws(DownloadError) in
                try ExistingFile.has(bytes, at: range.start, path)
            }
            guard isSame == true else { return false }
        }
        return true
    }

    /// Fetches a sample over one more connection; `nil` if the host has no free connection now.
    private func sample(_ range: ByteRange) async -> [UInt8]? {
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
        return await fetch(range)
    }

    private func fetch(_ range: ByteRange) async -> [UInt8]? {
        let sample = Completion<[UInt8]?>()
        let sink = SampleSink(range, of: representation) { sample.complete(with: $0) }
        let transfer = engine.transport.start(requests.request(head.url, range: range), sink: sink)
        let alarm = engine.alarms.enroll { transfer.cancel() }
        defer { engine.alarms.resign(alarm) }
        engine.alarms.set(alarm, at: engine.time.now() + Self.timeout)
        return await withTaskCancellationHandler {
            await sample.waitIgnoringCancellation()
        } onCancel: {
            transfer.cancel()
        }
    }
}
