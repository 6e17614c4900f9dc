internal import PawlCore
package import struct FoundationEssentials.URL

/// Finds out which links of a page lead to files and folders below the page's folder.
package struct FolderLinks {
    private let folder: FolderAddress
    /// The URL to which the links are relative.
    private let base: URL
    private let isBaseFolder: Bool

    /// - Parameters:
    ///   - page: The URL of the page after redirects.
    ///   - base: The URL in its `base` element.
    package init?(page: URL, base: String?) {
        guard let folder = FolderAddress(page), let url = URL(string: folder.text) else {
            return nil
        }
        self.folder = folder
        let given = base.flatMap {
            URL(string: $0.trimmed.encodingIllegalURLBytes, relativeTo: page)
        }
        self.base = given?.absoluteURL ?? url
        isBaseFolder = given == nil
    }

    /// The URL of the folder, which ends in a slash.
    package var address: String { folder.text }

    /// The maximum length of a URL, in bytes.
    private static let longest = 8 << 10

    /// Returns the path of a link below the folder, percent-encoded, with a slash at the end for a
    /// folder; `nil` if it leads elsewhere, or has a query, as links do that sort a list.
    package func relativePath(of link: String) -> String? {
        var link = link.trimmed
        guard !link.isEmpty, link.utf8.count <= Self.longest else { return nil }
        if let end = link.firstIndex(of: "#") { link = String(link[..<end]) }
        guard !link.contains("?") else { return nil }
        while link.hasPrefix("./") { link.removeFirst(2) }
        let path: Substring
        if isBaseFolder, !link.isAbsolutePath, !link.contains(":") {
            path = link.encodingIllegalURLBytes[...]
        } else {
            let url = URL(string: link.encodingIllegalURLBytes, relativeTo: base)?.absoluteURL
            guard let found = url.flatMap(folder.relativePath) else { return nil }
            path = found
        }
        let parts = String(path).pathNames
        guard !parts.isEmpty, parts.allSatisfy(Self.isName) else { return nil }
        return parts.joined(separator: "/") + (path.isFolderPath ? "/" : "")
    }

    /// Whether a part of a path is the name of a file or a folder.
    private static func isName(_ part: Substring) -> Bool {
        let bytes = part.percentDecodedBytes
        return bytes != Array(".".utf8) && bytes != Array("..".utf8) && !bytes.contains(0)
            && !bytes.contains(UInt8(ascii: "/"))
    }
}
