internal import PawlCore
package import struct FoundationEssentials.URL

/// Finds out which links of a page lead to files and folders below the page's folder.
package struct FolderLinks {
    /// The URL of the folder, which ends in a slash.
    package let address: String
    private let origin: Origin?
    private let names: [[UInt8]]
    /// The URL to which the links are relative.
    private let base: URL
    private let isBaseFolder: Bool

    /// - Parameters:
    ///   - page: The URL of the page after redirects.
    ///   - base: The URL in its `base` element.
    package init?(page: URL, base: String?) {
        var parts = AddressParts(page.absoluteString)
        (parts.query, parts.fragment) = (nil, nil)
        parts.path = parts.path.isFolderPath ? parts.path : parts.path.pathFolder.asFolderPath
        address = parts.requestText
        guard let folder = URL(string: address) else { return nil }
        origin = Origin(folder)
        names = Self.names(of: parts.path)
        let given = base.flatMap {
            URL(string: $0.trimmed.encodingIllegalURLBytes, relativeTo: page)
        }
        self.base = given?.absoluteURL ?? folder
        isBaseFolder = given == nil
    }

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
            guard let found = below(link) else { return nil }
            path = found
        }
        let parts = String(path).pathNames
        guard !parts.isEmpty, parts.allSatisfy(Self.isName) else { return nil }
        return parts.joined(separator: "/") + (path.isFolderPath ? "/" : "")
    }

    private func below(_ link: String) -> Substring? {
        guard let url = URL(string: link.encodingIllegalURLBytes, relativeTo: base)?.absoluteURL,
            Origin(url) == origin
        else { return nil }
        let path = AddressParts(url.absoluteString).path
        guard Self.names(of: path).starts(with: names) else { return nil }
        var rest = path[...].utf8
        for _ in 0..<names.count + 1 {
            guard let slash = rest.firstIndex(of: UInt8(ascii: "/")) else { return nil }
            rest = rest[rest.index(after: slash)...]
        }
        return Substring(rest)
    }

    private static func names(of path: String) -> [[UInt8]] {
        path.pathNames.map(\.percentDecodedBytes)
    }

    /// Whether a part of a path is the name of a file or a folder.
    private static func isName(_ part: Substring) -> Bool {
        let bytes = part.percentDecodedBytes
        return bytes != Array(".".utf8) && bytes != Array("..".utf8) && !bytes.contains(0)
            && !bytes.contains(UInt8(ascii: "/"))
    }
}
