import struct FoundationEssentials.URL
import Glibc
import Pawl
import PawlCore
import PawlTesting
import Testing

/// An origin, a folder, and sessions that download from one into the other.
final class SessionScene: Sendable {
    let origin: ScriptedOrigin
    let folder: ScratchFolder
    /// The folder of the sessions' own files.
    let temporary: ScratchFolder

    init() throws {
        origin = try ScriptedOrigin()
        folder = try ScratchFolder()
        temporary = try ScratchFolder()
    }

    convenience init(_ reply: Reply, at path: String = "/disk.bin") throws {
        try self.init()
        origin.route(path, reply)
    }

    /// The number of bytes after which `init(holding:after:until:)` pauses.
    static let held: Int64 = 400_000

    /// Creates a scene whose origin pauses each response after `bytes` bytes until the latch is
    /// released.
    convenience init(
        holding resource: Resource,
        after bytes: Int64 = SessionScene.held,
        until latch: Latch = Latch()
    ) throws {
        try self.init(.resource(resource).holdAfterBytes(bytes, until: latch))
    }

    func url(_ path: String = "/disk.bin", host: String = "127.0.0.1") throws -> URL {
        try #require(URL(string: origin.url(path, host: host)))
    }

    func target(_ name: String = "disk.bin") -> TaskDestination { .file(folder.path(name)) }

    /// Starts a task, and returns when `bytes` bytes are on disk.
    ///
    /// The destination is `disk.bin` in the folder by default.
    func start(
        in session: DownloadSession,
        to destination: TaskDestination? = nil,
        reaching bytes: Int64
    ) async throws -> DownloadTask {
        let task = session.downloadTask(with: try url(), to: destination ?? target())
        task.resume()
        await waitForBytes(bytes, of: task)
        return task
    }

    /// Returns the resume data of a task that has received `held` bytes, and whose session is gone.
    func resumeData(to destination: TaskDestination? = nil) async throws -> ResumeData {
        weak var gone: DownloadSession?
        let data: ResumeData?
        do {
            let session = DownloadSession(configuration)
            gone = session
            let task = try await start(in: session, to: destination, reaching: Self.held)
            data = await task.cancelByProducingResumeData()
        }
        while gone != nil, !Task.isCancelled { await Task.yield() }
        await origin.waitForQuiet()
        return try #require(data)
    }

    /// Another process with an ephemeral session receives `bytes` bytes of `disk.bin`, pauses, and
    /// is killed.
    func crashEphemeralSession(after bytes: Int64) async throws {
        let process = try ProcessRunner(
            BuiltProduct.path("SessionProbe"),
            [
                "ephemeral", temporary.path, origin.url("/disk.bin"), "\(bytes)",
                folder.path("disk.bin"),
            ]
        )
        #expect(await process.waitForOutput(containing: "paused"), "\(process.output)")
        process.signal(SIGKILL)
        await process.waitForExit()
    }

    var configuration: SessionConfiguration { configured(.default) }

    /// A configuration with one connection per task.
    func configured(_ kind: SessionConfiguration) -> SessionConfiguration {
        var configuration = kind
        configuration.settings.connections = .fixed(1)
        configuration.temporaryDirectory = temporary.path
        return configuration
    }
}

/// Waits until `count` bytes, which the origin has sent, are on disk.
func waitForBytes(_ count: Int64, of task: SessionTask) async {
    while task.currentProgress.completedBytes < count, !Task.isCancelled, !task.state.isEnd {
        await Task.yield()
    }
}

/// Returns the number of bytes of a suspended task when it no longer changes.
///
/// Bytes that the transport has already delivered may still be written, but no others.
func settledBytes(of task: DownloadTask) async -> Int64 {
    var bytes: [Int64] = []
    for await progress in task.progress {
        bytes.append(progress.completedBytes)
        if bytes.count >= 5, bytes.last == bytes.dropLast().last { break }
    }
    return bytes.last ?? 0
}

/// Records each call, in order.
final class RecordingDelegate: DownloadSessionDelegate {
    enum Call: Sendable, Equatable {
        case answered(Int)
        case received([UInt8])
        case resumed(offset: Int64, expected: Int64?)
        case startedOver(discarded: Int64)
        case wrote(Int64, total: Int64, expected: Int64?)
        case finished(String, bytes: Int64)
        case completed(ErrorCode?)
        case metrics(TaskMetrics)
        case invalid
        case waits
    }

    let calls = Observed<[Call]>([])
    private let whenFinished: @Sendable (DownloadedFile) -> Void

    init(whenFinished: @escaping @Sendable (DownloadedFile) -> Void = { _ in }) {
        self.whenFinished = whenFinished
    }

    private func note(_ call: Call) { calls.update { $0.append(call) } }

    /// All calls up to the completion.
    @discardableResult
    func allCalls(_ last: Call = .completed(nil)) async -> [Call] {
        await calls.wait { $0.contains(last) }
    }

    func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64?
    ) {
        note(
            .wrote(bytesWritten, total: totalBytesWritten, expected: totalBytesExpectedToWrite)
        )
    }

    func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64?
    ) {
        note(.resumed(offset: fileOffset, expected: expectedTotalBytes))
    }

    func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didStartOver restart: DownloadRestart
    ) {
        note(.startedOver(discarded: restart.discardedBytes))
    }

    func session(
        _ session: DownloadSession,
        downloadTask: DownloadTask,
        didFinishDownloadingTo file: DownloadedFile
    ) {
        whenFinished(file)
        note(.finished(file.path, bytes: file.byteCount))
    }

    func session(
        _ session: DownloadSession,
        task: SessionTask,
        didCompleteWithError error: DownloadError?
    ) {
        note(.completed(error?.code))
    }

    func session(
        _ session: DownloadSession,
        task: SessionTask,
        didReceive response: DownloadResponse
    ) {
        note(.answered(response.status))
    }

    func session(
        _ session: DownloadSession,
        dataTask: DataTask,
        didReceive data: [UInt8]
    ) {
        note(.received(data))
    }

    func session(
        _ session: DownloadSession,
        task: SessionTask,
        didFinishCollecting metrics: TaskMetrics
    ) {
        note(.metrics(metrics))
    }

    func session(_ session: DownloadSession, taskIsWaitingForConnectivity task: SessionTask) {
        note(.waits)
    }

    func session(_ session: DownloadSession, didBecomeInvalidWithError error: DownloadError?) {
        note(.invalid)
    }
}
