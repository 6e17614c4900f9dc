internal import PawlCore
internal import struct FoundationEssentials.URL

/// The URL of a folder on a server, which determines which URLs are below it.
struct FolderAddress {
    /// The URL, which ends in a slash.
    let text: String
    private let origin: Origin?
    private let names: [[UInt8]]

    /// - Parameter url: The URL of the folder, or of a file in it.
    init?(_ url: URL) {
        var parts = AddressParts(url.absoluteString)
        (parts.query, parts.fragment) = (nil, nil)
        parts.path = parts.path.isFolderPath ? parts.path : parts.path.pathFolder.asFolderPath
        text = parts.requestText
        guard let folder = URL(string: text) else { return nil }
        origin = Origin(folder)
        names = Self.names(of: parts.path)
    }

    /// Returns the path of a URL relative to the folder, still encoded; `nil` if it leads elsewhere.
    ///
    /// Names count as the same however they are encoded.
    func relativePath(of url: URL) -> Substring? {
        guard Origin(url) == origin else { return nil }
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
}
