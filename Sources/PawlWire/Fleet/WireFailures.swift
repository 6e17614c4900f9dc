package import PawlCore

/// Failed downloads of one kind of error from one host.
package struct WireFailureGroup: Codable, Sendable, Hashable {
    /// The code of the error.
    package var kind: ErrorCode
    /// The host in lower case; `nil` for all hosts beyond the number that is counted one by one, and
    /// empty for URLs without a host.
    package var host: String?
    package var count: Int
    /// The newest of these downloads, and its error.
    package var download: Int64
    package var title: String

    package init(_ kind: ErrorCode, host: String?, download: Int64, title: String) {
        (self.kind, self.host, self.download, self.title) = (kind, host, download, title)
        count = 1
    }
}

/// All failed downloads, counted by kind and host, the largest numbers first.
package struct WireFailures: Codable, Sendable, Hashable {
    package var failures: [WireFailureGroup]

    package init(_ failures: [WireFailureGroup]) { self.failures = failures }
}

/// A request to queue failed downloads of one kind again.
package struct FailureRetry: Codable, Sendable, Hashable, RequestObject {
    private enum CodingKeys: CodingKey, CaseIterable {
        case kind, host, after
    }

    package static let knownMembers = KnownMembers(CodingKeys.self)

    /// The code of the error.
    package var kind: ErrorCode
    /// The host to which it is limited; `nil` for any.
    package var host: String?
    /// The ID after which the search begins: `next` of the previous response.
    package var after: Int64?

    package init(_ kind: ErrorCode, host: String? = nil, after: Int64? = nil) {
        (self.kind, self.host, self.after) = (kind, host, after)
    }
}

/// What a request to queue failed downloads again has done.
package struct WireRetried: Codable, Sendable, Hashable {
    /// The number of downloads that were queued.
    package var count: Int
    /// The value of `after` for the next request; `nil` if all failed downloads were searched.
    package var next: Int64?

    package init(_ count: Int, next: Int64?) { (self.count, self.next) = (count, next) }
}
