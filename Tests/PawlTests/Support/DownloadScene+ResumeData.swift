import struct FoundationEssentials.Data
import class FoundationEssentials.JSONDecoder
import class FoundationEssentials.JSONEncoder
import Glibc
import Pawl
import PawlCore
import PawlTesting
import Testing

/// Downloads that are cancelled, and what they leave.
extension DownloadScene {
    /// The number of bytes that each connection has received before the cancellation.
    static let held: Int64 = 110_000

    /// Runs until each connection has received `held` bytes, then cancels.
    ///
    /// Returns the error.
    func interrupt(
        _ download: DownloadTask,
        _ reply: Reply,
        connections: Int = 4,
        whileRunning look: (DownloadTask) async throws -> Void = { _ in }
    ) async throws -> DownloadError {
        let latch = Latch()
        origin.route("/disk.bin", reply.holdAfterBytes(Self.held, until: latch))
        let task = Task { () -> DownloadError? in
            do throws(DownloadError) { _ = try await session.finish(download) } catch {
                return error
            }
            return nil
        }
        await latch.waitForArrivals(connections)
        await download.reaches(Int64(connections) * Self.held)
        try await look(download)
        task.cancel()
        let error = try #require(await task.value)
        await origin.waitForQuiet()
        origin.route("/disk.bin", reply)
        return error
    }

    /// The resume data of a cancelled download, passed through JSON as to another process.
    func leave(_ reply: Reply, connections: Int = 4) async throws -> ResumeData {
        let download = task(
            try url(),
            to: file(),
            settings: fixed(connections)
        )
        let error = try await interrupt(download, reply, connections: connections)
        #expect(error.code == .interrupted)
        let json = try JSONEncoder().encode(try #require(error.resumeData))
        return try JSONDecoder().decode(ResumeData.self, from: json)
    }

    /// Resumes as another process would.
    func resume(
        _ data: ResumeData,
        _ change: (inout ResumeSettings) -> Void = { _ in },
        settings: DownloadSettings? = nil
    ) async throws -> DownloadedFile {
        var resume = ResumeSettings()
        resume.adjustment = { [settings = settings ?? fixed(4)] in $0 = settings }
        change(&resume)
        return try await Self.session().download(resuming: data, resume)
    }

    /// The requests after the first `count`.
    func asked(since count: Int) -> [RecordedRequest] { Array(origin.requests.dropFirst(count)) }

    func move(_ name: String, to other: String) {
        #expect(rename(folder.path(name), folder.path(other)) == 0)
    }

    func remove(_ name: String) { #expect(unlink(folder.path(name)) == 0) }
}
