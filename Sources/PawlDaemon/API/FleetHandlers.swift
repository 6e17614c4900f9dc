internal import Hummingbird
internal import Pawl
internal import PawlCore
internal import PawlWire
internal import struct FoundationEssentials.URL

/// Answers requests about the fleet: its nodes, and what its queue and its buckets contain.
struct FleetHandlers: Sendable {
    let queue: DaemonQueue
    let reading: FleetReading

    /// The number of uploads of a bucket after which no more are read.
    private static let mostForeign = 10_000

    // MARK: - Nodes

    func show() async throws -> Response { try Response.json(try await reading.fleet()) }

    /// Lets a node finish what it has begun, and take nothing more.
    func drain(_ request: Request, _ context: APIContext) async throws -> Response {
        guard let name = try request.parameters.last(where: { $0.name == "node" })?.value else {
            throw DownloadError.usage("'node' is missing")
        }
        try await queue.drain(name, by: context.authority)
        let nodes = try await reading.fleet().nodes
        guard let node = nodes.first(where: { $0.name.isExactly(name) }) else {
            throw DownloadError.noNode(name)
        }
        return try Response.json(node)
    }

    // MARK: - Failures

    func failures(_ request: Request) async throws -> Response {
        let host = try request.parameters.last(where: { $0.name == "host" })?.value
        return try Response.json(try await FailureSearch(queue: queue).tally(of: host))
    }

    func retryFailures(_ request: Request, _ context: APIContext) async throws -> Response {
        let asked: FailureRetry = try await RequestBody.read(request)
        let search = FailureSearch(queue: queue)
        return try Response.json(
            try await search.retry(asked, by: context.authority, changed: context.changed)
        )
    }

    // MARK: - Uploads

    func leftovers(_ request: Request) async throws -> Response {
        let query = try PageQuery(request)
        let after: Int64? = try query.cursor.map { (text) throws(DownloadError) in
            try QueryText.number("after", text, in: 0...Int64.max)
        }
        let page = try await queue.store.read { transaction in
            try transaction.uploads.leftovers(
                restingAtMost: LeftoverUploads.longestRest,
                at: transaction.now,
                after: after ?? 0,
                limit: query.limit
            )
        }
        return try Response.json(page)
    }

    /// Returns the uploads of buckets that belong to no download of the queue.
    func foreignUploads(_ request: Request) async throws -> Response {
        let named = try request.parameters.filter { $0.name == "bucket" }
            .map { (parameter) throws(DownloadError) in try Self.bucket(parameter.value) }
        let known = try await queue.store.read { try $0.uploads.buckets() }
        let buckets =
            named.isEmpty
            ? known.keys.compactMap { URL(string: $0) } : named
        var answer: [WireBucketUploads] = []
        for bucket in buckets.sorted(by: { $0.absoluteString < $1.absoluteString }) {
            let service = known["s3://\(bucket.host() ?? "")/"]
            answer.append(try await foreignUploads(of: bucket, service?.validSettings))
        }
        return try Response.json(WireForeignUploads(answer))
    }

    private static func bucket(_ text: String) throws(DownloadError) -> URL {
        // The URL of a bucket needs no slash at its end.
        let isWhole = text.pathNames.count < 3 && !text.isFolderPath
        return try ObjectAddress.parse(isWhole ? text.asFolderPath : text)
    }

    private func foreignUploads(
        of bucket: URL,
        _ settings: DownloadSettings?
    ) async throws(DownloadError) -> WireBucketUploads {
        let name = bucket.absoluteString
        let found: (uploads: [DownloadSession.ListedUpload], hasMore: Bool)
        do throws(DownloadError) {
            found = try await queue.session.unfinishedUploads(
                below: bucket,
                over: (settings ?? DownloadSettings()).connection,
                atMost: Self.mostForeign
            )
        } catch {
            var answer = WireBucketUploads(name)
            answer.problem = Problem(error)
            return answer
        }
        // An upload of the queue is recorded after the service has begun it, so this is read last.
        let own = try await queue.store.read { try $0.uploads.known() }
        let foreign = found.uploads.filter { !own.contains($0.name.id) }.map { upload in
            WireForeignUpload(
                object: upload.name.address,
                upload: upload.name.id,
                begun: upload.begun.isEmpty ? nil : upload.begun
            )
        }
        return WireBucketUploads(name, uploads: foreign, hasMore: found.hasMore)
    }
}
