/// The request of a download, with its secrets.
package struct WireRequest: Codable, Sendable, Hashable {
    /// What adds the same download again; `nil` if the daemon has forgotten it, as it does when the
    /// download finishes.
    package var download: NewDownload?

    package init(_ download: NewDownload?) { self.download = download }
}
