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

    /// The connection over which the samples are fetched.
    enum Connection {
        /// One more of the host's connections.
        case additional
        /// The connection of the response, which has been ended.
        case own
    }

    /// Returns whether two samples of the server's file equal those of an existing file; `nil` if
    /// the host has no additional connection now.
    ///
    /// If anything goes wrong, nothing is proven.
    func matches(_ path: FilePath, over connection: Connection) async -> Bool? {
        guard HeadJudge.acceptsRanges(head, representation), let total = representation.total
        else { return false }
        for range in SampleSink.ranges(total: total) {
            let sample =
                switch connection {
                case .additional: await withAdditionalConnection { await fetch(range) }
                case .own: Optional(await fetch(range, multiplexes: isMultiplexed))
                }
            guard let sample else { return nil }
            guard let bytes = sample else { return false }
            // A sample that cannot be read counts as different.
            let isSame = try? await engine.disk.run { () throws(DownloadError) in
                try ExistingFile.has(bytes, at: range.start, path)
            }
            guard isSame == true else { return false }
        }
        return true
    }

    /// Runs `body` while it has one more connection; returns `nil` if the host has none now.
    private func withAdditionalConnection<Result>(_ body: () async -> Result) async -> Result? {
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
        return await body()
    }

    /// Whether the response may have shared its connection with others.
    private var isMultiplexed: Bool { !head.protocolVersion.hasPrefix("HTTP/1") }

    /// Fetches a sample; `nil` if that fails.
    private func fetch(_ range: ByteRange, multiplexes: Bool = false) async -> [UInt8]? {
        let sample = Completion<[UInt8]?>()
        let sink = SampleSink(range, of: representation) { sample.complete(with: $0) }
        var request = requests.request(head.url, range: range)
        request.multiplexes = multiplexes
        let transfer = requests.start(request, sink: sink)
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
