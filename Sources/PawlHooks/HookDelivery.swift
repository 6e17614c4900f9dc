internal import Glibc
internal import struct FoundationEssentials.URL
package import Pawl
package import PawlCore
internal import PawlWire

/// Does what hooks ask for.
package struct HookDelivery: Sendable {
    private let session: DownloadSession
    private let environment: [String: String?]

    /// The maximum number of jobs of one process at the same time.
    package static let mostAtOnce = 8
    /// The maximum time of a request to a webhook.
    private static let requestTime: Duration = .seconds(30)

    /// - Parameters:
    ///   - session: Sends the requests.
    ///   - environment: The variables that are added to the environment of the programs that users
    ///     have chosen, or removed from it.
    package init(session: DownloadSession, environment: [String: String?] = [:]) {
        (self.session, self.environment) = (session, environment)
    }

    /// What a job has led to.
    package struct Outcome: Sendable {
        /// How the program ended; `nil` for a request that was accepted.
        package var end: ProgramRun.End?
        /// The folder into which the file was unpacked.
        package var folder: String?
    }

    /// Does a job.
    ///
    /// - Parameters:
    ///   - output: The file for what a program prints.
    ///   - willName: Called with the job before the folder that it has filled gets its name. A job
    ///     with this value finds the folder if it is done again.
    package func run(
        _ job: HookJob,
        output: Int32 = STDERR_FILENO,
        willName: (HookJob) async -> Void = { _ in }
    ) async throws(DownloadError) -> Outcome {
        if job.unpacks == true, let path = job.facts.path {
            return await unpack(path, job, output, willName)
        }
        if let words = job.command {
            var run = ProgramRun(words)
            run.environment = environment.merging(job.facts.environment) { _, own in own }
            run.input = try WireJSON.encode(job.facts) + [UInt8(ascii: "\n")]
            run.output = output
            return Outcome(end: await run.run())
        }
        guard let url = job.webhook else {
            return Outcome(end: await DesktopNotification(job.facts).show(output))
        }
        try await post(try WireJSON.encode(job.facts), to: url)
        return Outcome()
    }

    private func unpack(
        _ path: String,
        _ job: HookJob,
        _ output: Int32,
        _ willName: (HookJob) async -> Void
    ) async -> Outcome {
        let unpacking = ArchiveUnpacking(path: path)
        if let folder = job.unpackedFolder.flatMap(unpacking.folder) {
            let end = ProgramRun.End(status: 0, text: "was done before")
            return Outcome(end: end, folder: folder)
        }
        let result = await unpacking.run(output) { identity in
            var job = job
            job.unpackedFolder = identity
            await willName(job)
        }
        return Outcome(end: result.end, folder: result.folder)
    }

    private func post(_ json: [UInt8], to url: URL) async throws(DownloadError) {
        let (address, credentials) = try SourceURL.parse(url.absoluteString)
        let request = DownloadRequest(address) { settings in
            if let credentials {
                settings.credentials = credentials
                // With the first request, as the body is sent only once.
                settings.connection.authentication = .basic
            }
            settings.method = "POST"
            settings.body = json
            settings.fields = [HTTPField(name: "Content-Type", value: "application/json")]
            settings.retries = 0
            settings.checksum = .none
            settings.maximumDuration = Self.requestTime
        }
        let task = session.downloadTask(with: request, to: .temporary)
        task.resume()
        let answer = try await task.file
        unlink(answer.path)
    }
}
