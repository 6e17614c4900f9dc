internal import PawlCore
internal import PawlWire

/// Reads what adds downloads again as they are now.
struct StoredRequests {
    private let transaction: StoreTransaction

    /// The number of bytes after which a page ends, because a request may contain a large body.
    private static let mostBytes = 16 << 20

    init(_ transaction: StoreTransaction) { self.transaction = transaction }

    /// Returns the requests of a page of downloads.
    func page(_ query: ListQuery) throws -> WireRequestPage {
        let list = try transaction.search.list(query)
        var page = WireRequestPage(requests: [], next: list.next)
        var byteCount = 0
        for row in list.downloads {
            let body = try transaction.requests.request(of: row.id)
            byteCount += body?.count ?? 0
            if byteCount > Self.mostBytes, let last = page.requests.last {
                page.next = last.id
                break
            }
            page.requests.append(
                WireRequest(
                    id: row.id,
                    name: row.name,
                    download: body.flatMap { Self.download($0, row) }
                )
            )
        }
        return page
    }

    private static func download(_ body: [UInt8], _ row: WireDownload) -> NewDownload? {
        // A request that cannot be read could not be added again, either.
        guard var request = try? WireJSON.decode(NewDownload.self, from: body) else { return nil }
        // The next one with these numbers may belong to another process.
        request.taskIdentifier = nil
        request.destination = row.path ?? request.destination
        (request.priority, request.notBefore) = (row.priority, row.notBefore)
        (request.session, request.taskDescription) = (row.session, row.taskDescription)
        request.label = row.label
        request.isPaused = row.state == .paused || row.state == .suspended ? true : nil
        return request
    }
}
