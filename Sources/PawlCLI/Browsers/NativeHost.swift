internal import Pawl
internal import PawlCore
internal import PawlWire

/// Answers the messages of the browser extension; each download goes to the daemon.
struct NativeHost {
    private let client: DaemonClient
    /// The user's folder for downloads; `nil` if it is unknown.
    private let folder: String?
    private let messages: NativeMessages

    /// The maximum number of downloads in a message: the names of more might not fit in the answer.
    private static let mostDownloads = 250

    init(_ client: DaemonClient, folder: String?, messages: NativeMessages = NativeMessages()) {
        (self.client, self.folder, self.messages) = (client, folder, messages)
    }

    /// Answers until the browser closes its end; returns the exit status.
    func run() async -> Int32 {
        while true {
            let message: [UInt8]?
            do throws(DownloadError) {
                message = try messages.next()
            } catch {
                _ = send(BrowserAnswer(problem: .init(error)))
                return error.code.exitStatus
            }
            guard let message else { return 0 }
            guard send(await answer(message)) else { return ErrorCode.diskFailure.exitStatus }
        }
    }

    private func answer(_ bytes: [UInt8]) async -> BrowserAnswer {
        do throws(DownloadError) {
            let message = try BrowserMessage.read(bytes)
            if message.ping == true { return BrowserAnswer(program: "pawl \(PawlVersion.current)") }
            let result = try await add(message.add ?? [])
            let added = result.outcome.downloads.map {
                BrowserAnswer.Added(id: $0.id, name: $0.name.sanitized)
            }
            // The extension itself counts what was added.
            return BrowserAnswer(added: added, problem: result.cause.map { .init($0) })
        } catch {
            return BrowserAnswer(problem: .init(error))
        }
    }

    /// Adds the downloads, and starts the daemon if necessary.
    private func add(
        _ downloads: [BrowserDownload]
    ) async throws(DownloadError) -> ListSubmission.Result {
        guard downloads.count <= Self.mostDownloads else {
            throw .usage(
                "the message has \(downloads.count) downloads",
                advice: "send at most \(Self.mostDownloads) in a message"
            )
        }
        let folder = client.remote == nil ? self.folder : nil
        guard folder != nil || client.remote != nil else {
            throw DownloadError(
                .directoryNotUsable,
                "the user's folder for downloads is not known: there is no home folder",
                advice: "set HOME"
            )
        }
        let new = try downloads.map { (download) throws(DownloadError) in
            try download.newDownload(in: folder)
        }
        return try await ListSubmission(new, to: client).run()
    }

    private func send(_ answer: BrowserAnswer) -> Bool {
        // All members are texts and numbers, which can be encoded.
        guard let bytes = try? WireJSON.encode(answer) else { return false }
        return messages.send(bytes)
    }
}
