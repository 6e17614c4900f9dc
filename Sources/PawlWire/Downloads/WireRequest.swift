/// The request of a download, with its secrets.
package struct WireRequest: Codable, Sendable, Hashable {
    /// The number of the download.
    package var id: Int64
    /// The name of its file.
    package var name: String
    /// What adds the same download again; `nil` if the daemon has forgotten it, as it does when the
    /// download finishes.
    package var download: NewDownload?

    package init(id: Int64, name: String, download: NewDownload?) {
        (self.id, self.name, self.download) = (id, name, download)
    }
}

/// A page of requests.
package struct WireRequestPage: Codable, Sendable, Hashable {
    package var requests: [WireRequest]
    /// The value of `after` for the next page; `nil` on the last page.
    package var next: Int64?

    package init(requests: [WireRequest], next: Int64? = nil) {
        (self.requests, self.next) = (requests, next)
    }
}
