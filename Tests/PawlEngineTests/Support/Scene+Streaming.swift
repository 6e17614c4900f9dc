import PawlCore
import PawlEngine
import PawlTesting
import Synchronization
import Testing

extension Scene {
    /// A request for the file that has not been sent yet.
    func stream(
        _ method: String = "GET",
        from path: String = Scene.path,
        body: [UInt8] = [],
        by process: EngineProcess,
        with settings: DownloadSettings? = nil,
        acceptsErrorStatuses: Bool = false
    ) throws -> StreamDriver {
        processes.withLock { $0.append(process) }
        var job = StreamJob(
            url: try url(path),
            settings: settings ?? self.settings(1),
            seed: EngineProcess.impatientSeed
        )
        job.method = method
        job.body = body
        job.acceptsErrorStatuses = acceptsErrorStatuses
        return StreamDriver(job, engine: process.engine)
    }

    /// The whole answer to a request.
    @discardableResult
    func answer(
        _ method: String = "GET",
        from path: String = Scene.path,
        body: [UInt8] = [],
        with settings: DownloadSettings? = nil,
        limit: Int64 = 64 << 20,
        by process: EngineProcess = EngineProcess()
    ) async throws -> CollectedBody {
        try await stream(method, from: path, body: body, by: process, with: settings)
            .collect(limit: limit)
    }

    /// The error of a request that must fail.
    func refusal(
        _ method: String = "GET",
        from path: String = Scene.path,
        body: [UInt8] = [],
        with settings: DownloadSettings? = nil,
        limit: Int64 = 64 << 20,
        by process: EngineProcess = EngineProcess(),
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> DownloadError {
        try await #require(throws: DownloadError.self, sourceLocation: sourceLocation) {
            try await answer(
                method,
                from: path,
                body: body,
                with: settings,
                limit: limit,
                by: process
            )
        }
    }

    /// Lets the network's threads run many times: whatever would arrive by itself has arrived by
    /// then.
    ///
    /// It uses another name, which has its own host budget.
    func letTurn(_ process: EngineProcess, times: Int = 40) async throws {
        origin.route("/turn", .status(200, body: "turn"))
        let url = try url("/turn", host: "localhost")
        for _ in 0..<times {
            let job = StreamJob(url: url, settings: settings(1), seed: 1)
            _ = try await StreamDriver(job, engine: process.engine).collect(limit: 10)
        }
    }
}

extension StreamDriver {
    /// All pieces so far, and the error that ended them, if any.
    func readAll() async -> (pieces: [[UInt8]], error: DownloadError?) {
        var pieces: [[UInt8]] = []
        do throws(DownloadError) {
            while let piece = try await next() { pieces.append(piece) }
            return (pieces, nil)
        } catch {
            return (pieces, error)
        }
    }
}
