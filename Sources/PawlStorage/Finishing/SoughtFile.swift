package import struct FoundationEssentials.URL
package import PawlCore

/// The file that a download looks for among existing files: the one that the server describes.
package struct SoughtFile: Sendable {
    /// The size and the validators; `nil` if they can prove nothing.
    let key: String?
    let total: Int64?
    /// Whether a file with the same validators is the same, whatever its URL was.
    let isStrong: Bool
    /// Whether files of the same size are read and compared by their digest.
    let hasDigest: Bool
    /// The addresses of the download's URLs.
    let addresses: [String]

    package init(_ representation: Representation, _ digest: ContentDigest?, urls: [URL]) {
        key = RepresentationMark.key(of: representation)
        total = representation.total
        isStrong = representation.validatorStrength == .strong
        hasDigest = digest != nil
        addresses = urls.map(SourceMark.address)
    }
}
