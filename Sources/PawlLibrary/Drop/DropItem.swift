package import struct FoundationEssentials.URL
package import PawlCore

/// One download requested by a file in the drop folder.
package struct DropItem: Hashable, Sendable {
    package var url: URL
    /// The key.
    ///
    /// It is the URL if the file gives none; for a URL with secrets, the URL without them and a
    /// digest of the whole. Keys are visible in names, listings and errors.
    package var key: StorageKey
    /// The name for the file; `nil` leaves it to the library.
    package var name: String?

    /// Creates an item.
    ///
    /// `digest` returns a short hexadecimal digest of a text.
    package init(
        url: URL,
        key: String? = nil,
        name: String? = nil,
        digest: (String) -> String
    ) {
        self.url = url
        let (shown, whole) = (url.redacted, url.absoluteString)
        let own = shown == whole ? whole : "\(shown)#\(digest(whole))"
        self.key = StorageKey(key ?? own)
        self.name = name
    }
}
