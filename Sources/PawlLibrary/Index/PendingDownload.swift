package import struct FoundationEssentials.URL
package import PawlCore

/// What is stored of a library's download until it is finished, so that the next process finds it.
package struct PendingDownload: Hashable, Sendable {
    package static let longestText = 256 * 1024

    package var key: StorageKey
    /// The finished file's name in the library's folder.
    package var name: ExactText
    /// The complete URL, without user and fragment, as it is needed to resume; `nil` if it is not
    /// known.
    package var url: URL?
    /// Whether the new file replaces the one that has its name.
    package var replaces = false
    /// The error that ended the download, if any.
    package var failure: Failure?
    /// The daemon's download of the file; `nil` if no daemon was asked for it.
    ///
    /// If there is a failure, it has ended.
    package var background: Background?

    /// A download of the daemon.
    package struct Background: Hashable, Sendable {
        /// The identifier of the background session.
        package var session: String
        /// The number of the session's task.
        package var task: Int
        /// Whether the key has had another URL since the daemon got the download.
        package var isOutdated = false

        package init(session: String, task: Int) {
            self.session = session
            self.task = task
        }
    }

    /// The part of an error that can be stored.
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
            DownloadError(ErrorCode(rawValue: code), message, advice: Advice(advice.sanitized))
        }
    }

    package init(key: StorageKey, name: ExactText, url: URL?) {
        self.key = key
        self.name = name
        self.url = url
    }

    /// Sets another URL; a download that the daemon has still has the old one.
    mutating func setURL(_ url: URL) {
        self.url = url
        if isInDaemon { background?.isOutdated = true } else { background = nil }
    }

    /// Whether the daemon has the download, as far as is known.
    package var isInDaemon: Bool { background != nil && failure == nil }

    /// Whether the daemon has the download for this session.
    package func isInDaemon(for session: String?) -> Bool {
        isInDaemon && background?.session == session
    }
}
