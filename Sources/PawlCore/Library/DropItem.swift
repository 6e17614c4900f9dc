package import struct FoundationEssentials.URL

/// One download that a file in the drop folder asks for.
package struct DropItem: Hashable, Sendable {
    package var url: URL
    /// The URL itself where the file says none; one with secrets is shown without them, and a digest of
    /// the whole follows: keys are seen in names, listings and errors.
    package var key: StorageKey
    /// What the file is to be called; nil leaves it to the library.
    package var name: String?

    /// `digest`: a short one of a text, in hexadecimal.
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
