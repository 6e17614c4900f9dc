package import PawlCore
package import PawlWire

/// Requests about the daemons that share a queue, and about its failures and leftovers.
extension DaemonClient {
    /// Returns the daemons that share the queue, and what it contains.
    package func fleet() async throws(DownloadError) -> WireFleet {
        try await fetch(APIPath.fleet)
    }

    /// Lets a node finish what it has begun, and take nothing more.
    package func drain(_ node: String) async throws(DownloadError) -> WireNode {
        try await read(try await open("POST", APIPath.drain, ["node": node]))
    }

    /// Returns the failed downloads, of one host or all, counted by kind and host.
    package func failures(of host: String? = nil) async throws(DownloadError) -> WireFailures {
        // The daemon reads all of them.
        try await read(
            try await open(
                "GET",
                APIPath.failures,
                host.map { ["host": $0] } ?? [:],
                answersWithin: .seconds(300)
            )
        )
    }

    /// Queues failed downloads again: some of those of a kind, until `next` is `nil`.
    package func retry(_ failures: FailureRetry) async throws(DownloadError) -> WireRetried {
        try await send(APIPath.failureRetries, failures)
    }

    /// Returns a page of the uploads that nothing continues, by the IDs of their downloads.
    package func leftovers(after id: Int64?) async throws(DownloadError) -> WireLeftovers {
        try await fetch(APIPath.leftovers, id.map { ["after": "\($0)"] } ?? [:])
    }

    /// Returns the uploads of a bucket, or of all buckets that the queue names, that belong to no
    /// download of the queue.
    package func foreignUploads(
        in bucket: String? = nil
    ) async throws(DownloadError) -> WireForeignUploads {
        // The daemon waits for the services.
        try await read(
            try await open(
                "GET",
                APIPath.foreignUploads,
                bucket.map { ["bucket": $0] } ?? [:],
                answersWithin: .seconds(300)
            )
        )
    }
}
