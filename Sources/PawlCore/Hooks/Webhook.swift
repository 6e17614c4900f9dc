package import struct FoundationEssentials.URL

/// The URL that gets a POST request when a download ends.
package struct Webhook: Sendable, Hashable {
    /// The URL; `nil` to send nothing.
    package let url: URL?

    /// Sends nothing, instead of the request that a more general setting names.
    package static let none = Webhook(url: nil)

    private init(url: URL?) { self.url = url }

    package init(_ url: URL) { self.init(url: url) }

    /// The URL, or `none`.
    package var text: String { url?.absoluteString ?? Self.noneText }

    /// The text that may be shown, without secrets.
    package var redacted: String { url?.redacted ?? Self.noneText }

    /// The text that stands for ``none``.
    static let noneText = "none"
}
