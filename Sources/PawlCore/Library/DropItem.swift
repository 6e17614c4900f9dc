package import struct FoundationEssentials.URL

/// One download that a file in the drop folder asks for.
package struct DropItem: Hashable, Sendable {
    package var url: URL
    /// The URL itself where the file says none.
    package var key: StorageKey
    /// What the file is to be called; nil leaves it to the library.
    package var name: String?

    package init(url: URL, key: String? = nil, name: String? = nil) {
        self.url = url
        self.key = StorageKey(key ?? url.absoluteString)
        self.name = name
    }
}
