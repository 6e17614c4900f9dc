package import struct FoundationEssentials.URL

/// What is kept of a library's download until it has finished, so that the next process finds it.
package struct PendingDownload: Hashable, Sendable {
    package static let longestText = 256 * 1024

    package var key: StorageKey
    /// The finished file's, in the library's folder.
    package var name: String
    /// As a whole, without user and fragment: else nobody could go on; nil where it is not known.
    package var url: URL?
    /// Whether the new file takes the place of the one that has its name.
    package var replaces = false
    /// Why it ended, where it did.
    package var failure: Failure?

    /// An error as far as it can be kept.
    package struct Failure: Hashable, Sendable, Codable {
        package var code: String
        package var message: String
        package var advice: String

        package init(_ error: DownloadError) {
            code = error.code.rawValue
            message = error.message
            advice = error.advice
        }

        package var error: DownloadError {
            DownloadError(ErrorCode(rawValue: code), message, advice: advice.sanitized)
        }
    }

    package init(key: StorageKey, name: String, url: URL?) {
        self.key = key
        self.name = name
        self.url = url
    }
}
