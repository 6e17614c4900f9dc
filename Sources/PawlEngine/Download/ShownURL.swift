internal import PawlCore
internal import struct FoundationEssentials.URL

/// A URL for the log, formatted only if it is written.
struct ShownURL: CustomStringConvertible, Sendable {
    let url: URL

    var description: String { url.redacted }
}
