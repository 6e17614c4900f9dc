internal import struct FoundationEssentials.URL
internal import Logging
internal import PawlCore
internal import PawlStorage
internal import Synchronization

/// The Metalink that the server of a download names in a response (RFC 6249).
///
/// It is fetched once, and only if the download needs it.
final class ServerMetalink: Sendable {
    /// Those of the largest files, with digests of their pieces, have a few megabytes.
    private static let mostBytes: Int64 = 4 << 20
    /// The time after which a file is finished without it.
    static let longest: Duration = .seconds(10)

    private struct State {
        var url: URL?
        var wasRead = false
        var description: FileDescription?
    }

    private let job: DownloadJob
    private let engine: Engine
    private let logger: Logger
    private let state = Mutex(State())

    init(_ job: DownloadJob, _ engine: Engine, _ logger: Logger) {
        (self.job, self.engine, self.logger) = (job, engine, logger)
    }

    /// Notes the Metalink that a response names; the first one counts.
    func note(_ head: ResponseHead) {
        guard job.settings.asksForFile, job.settings.range == nil else { return }
        let url = ServerDocument.metalink.url(in: head.fields, from: head.url, of: job.url)
        state.withLock { $0.url = $0.url ?? url }
    }

    /// Its description of the file; `nil` until it was read.
    var description: FileDescription? { state.withLock { $0.description } }

    /// The URLs of other sources of the file, if it is known which bytes they must have.
    var mirrors: [URL] {
        guard job.settings.usesServerMirrors, let description, description.digest != nil else {
            return []
        }
        return ServerMirrors.usable(description.sources, from: job.url)
    }

    /// Fetches and reads it; returns `nil` if there is none, or if it cannot be used.
    func read() async -> FileDescription? {
        let unread: URL? = state.withLock { state in
            guard !state.wasRead, let url = state.url else { return nil }
            state.wasRead = true
            return url
        }
        guard let unread else { return description }
        do throws(DownloadError) {
            let found = try await fetch(unread)
            logger.notice("the server describes the file in \(unread.redacted)")
            state.withLock { $0.description = found }
            return found
        } catch {
            logger.notice("\(unread.redacted) is not used: \(error.message)")
            return nil
        }
    }

    /// Fetches and reads it for the repair of the file; throws as soon as the download is to stop.
    func read(_ stop: CancellationToken) async throws(DownloadError) -> FileDescription? {
        // What was passed on cannot be repaired.
        guard job.output == nil else { return nil }
        let result = Completion<FileDescription?>()
        // The end of this method ends it.
        async let _: Void = result.complete(with: read())
        while true {
            if let description = await result.wait(or: stop.wakeup) { return description }
            try stop.check()
            if Task.isCancelled { throw CancellationToken.cancelled }
        }
    }

    private func fetch(_ url: URL) async throws(DownloadError) -> FileDescription {
        let settings = job.settings.forDocument(within: Self.longest)
        let stream = StreamJob(url: url, settings: settings, seed: job.seed)
        let body = try await StreamDriver(stream, engine: engine).collect(limit: Self.mostBytes)
        let file = AddressParts(job.url.absoluteString).path.pathFile.percentDecoded
        return try await engine.digests.run { [engine] () throws(DownloadError) in
            try engine.readMetalink(body.bytes, url.redacted, file)
        }
    }
}
