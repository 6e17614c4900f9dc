internal import ArgumentParser
internal import Pawl
internal import PawlCore
internal import PawlWire

/// `pawl fleet leftovers`: lists the uploads to buckets that nobody finishes.
struct FleetLeftoversCommand: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: "leftovers",
        abstract: "Show the unfinished uploads in buckets that no download continues.",
        discussion: """
            Services keep the parts of an upload that is neither completed nor aborted, and usually \
            charge for them. The daemon aborts an upload of its queue when its download is cancelled \
            or removed, or when nothing was added to it for a week. Uploads that belong to no \
            download of the queue are only listed: other programs may continue them. The daemon \
            looks for them in the buckets of its newest downloads, with its own credentials.
            """
    )

    @Argument(
        help: ArgumentHelp(
            "Look for uploads that belong to no download in these buckets or folders, such as "
                + "s3://photos/2026/.",
            valueName: "bucket"
        )
    )
    var buckets: [String] = []

    @Flag(help: "Print JSON.")
    var json = false

    private struct Found: Encodable, Sendable {
        var uploads: [WireLeftover]
        var buckets: [WireBucketUploads]
    }

    func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
        let (buckets, json) = (buckets, json)
        for bucket in buckets where !ObjectAddress.isOne(bucket) {
            throw .usage(
                "'\(bucket.sanitized(atMost: 100))' is not the URL of a bucket",
                advice: "write it as s3://bucket or s3://bucket/folder/"
            )
        }
        return try daemonWork(console) { (client) async throws(DownloadError) in
            let found = Found(
                uploads: try await Self.uploads(client),
                buckets: try await Self.foreign(in: buckets, client, console)
            )
            console.show(found, json: json) {
                FleetReport.leftovers(found.uploads, found.buckets, width: console.outputColumns)
            }
            let problems = found.buckets.compactMap(\.problem)
            for problem in problems { console.report(problem.error) }
            return problems.first?.code.exitStatus ?? 0
        }
    }

    private static func uploads(
        _ client: DaemonClient
    ) async throws(DownloadError) -> [WireLeftover] {
        var (uploads, last) = ([WireLeftover](), Int64?.none)
        repeat {
            let page = try await client.leftovers(after: last)
            uploads += page.uploads
            last = try page.next.map { (next) throws(DownloadError) in
                try DaemonClient.checked(next, after: last)
            }
        } while last != nil
        return uploads
    }

    private static func foreign(
        in buckets: [String],
        _ client: DaemonClient,
        _ console: Console
    ) async throws(DownloadError) -> [WireBucketUploads] {
        var found: [WireBucketUploads] = []
        for bucket in buckets { found += try await client.foreignUploads(in: bucket).buckets }
        guard buckets.isEmpty else { return found }
        do throws(DownloadError) {
            return try await client.foreignUploads().buckets
        } catch {
            // Only the user of the daemon's machine may see what is in its buckets.
            guard error.code == .notAllowed else { throw error }
            console.message("pawl: note: uploads of others are shown on the daemon's machine only")
            return []
        }
    }
}
