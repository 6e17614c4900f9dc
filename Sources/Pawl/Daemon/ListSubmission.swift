internal import struct FoundationEssentials.UUID
package import PawlCore
package import PawlWire

/// Adds a list of downloads to the queue of a daemon, all of them or none.
///
/// Over TCP, more than 1 MiB of downloads is divided among several requests. If one of them fails, or
/// the command is killed, the downloads of the requests before it have been added. Within a day, the
/// same list with the same token then adds only the others.
package struct ListSubmission: Sendable {
    private let client: DaemonClient
    private let downloads: [NewDownload]

    /// What was added.
    package struct Result: Sendable {
        package var outcome: WireOutcome
        /// The reason why not all downloads were added, with the number of those that were; `nil` if
        /// all of them were.
        package var failure: DownloadError?
        /// The error of the request that failed; `nil` if none did.
        package var cause: DownloadError?
    }

    package init(_ downloads: [NewDownload], to client: DaemonClient) {
        (self.downloads, self.client) = (downloads, client)
    }

    /// Sends the requests; starts the daemon of this machine if necessary.
    ///
    /// - Throws: the error of the first request.
    package func run() async throws(DownloadError) -> Result {
        guard let remote = client.remote else { return try await add() }
        let parts = try RequestDivision.divide(downloads)
        guard parts.count > 1 else { return try await add() }
        let lists = UnfinishedLists(client.paths)
        let name = try UnfinishedLists.name(of: downloads, for: remote)
        let entry = name.map(lists.begin)
        let key = entry?.key ?? UUID().uuidString
        var result = Result(outcome: WireOutcome(downloads: [], lastEvent: 0))
        for (index, part) in parts.enumerated() {
            do throws(DownloadError) {
                let added = try await client.add(part, key: index == 0 ? key : "\(key)-\(index)")
                result.outcome.downloads += added.downloads
                result.outcome.lastEvent = added.lastEvent
            } catch {
                // The first request may have added its downloads, if only its response was lost.
                let isKept = entry.map(lists.keep) ?? false
                guard index > 0 else { throw error }
                result.cause = error
                result.failure = afterAdding(result.outcome.downloads.count, isKept, error)
                return result
            }
        }
        if let name { lists.remove(name) }
        return result
    }

    private func add() async throws(DownloadError) -> Result {
        // With this key, a repeated request adds nothing twice.
        let key = UUID().uuidString
        let outcome = try await client.process.starting { (client) async throws(DownloadError) in
            try await client.add(downloads, key: key)
        }
        return Result(outcome: outcome)
    }

    /// Returns the error of a request after others have added some of the downloads.
    private func afterAdding(
        _ count: Int,
        _ isKept: Bool,
        _ error: DownloadError
    ) -> DownloadError {
        let rest: Advice = "run the same command again: it adds only the others"
        let advice = error.guidance.isEmpty ? rest : "\(error.guidance); then \(rest)"
        return DownloadError(
            error.code,
            "the first \(count) of \(downloads.count) downloads were added, and then a request "
                + "failed: \(error.message)",
            advice: isKept ? advice : error.guidance,
            context: error.context
        )
    }
}
