package import struct FoundationEssentials.URL
package import PawlCore

/// Another source of a download.
package struct Mirror: Sendable {
    package var url: URL
    /// The credentials for this mirror's own origin, and no other.
    package var credentials: Credentials?

    package init(url: URL, credentials: Credentials? = nil) {
        self.url = url
        self.credentials = credentials
    }
}
