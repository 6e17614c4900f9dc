internal import PawlCore

/// A valid request that conflicts with the current state.
enum Conflict {
    static func error(_ what: String, advice: Advice) -> DownloadError {
        DownloadError(.conflict, what, advice: advice)
    }
}

extension DownloadError {
    /// No download has this id.
    static func noDownload(_ id: Int64) -> DownloadError {
        DownloadError(.notFound, "there is no download \(id)", advice: "see 'pawl list'")
    }

    /// No feed has this id.
    static func noFeed(_ id: Int64) -> DownloadError {
        DownloadError(.notFound, "there is no feed \(id)", advice: "see 'pawl feed list --json'")
    }

    /// The feed cannot be decoded.
    static func unreadableFeed(_ id: Int64) -> DownloadError {
        DownloadError(
            .settingsLost,
            "feed \(id) cannot be read: it is damaged, or of a newer version of Pawl",
            advice: "remove it (pawl feed remove \(id)), and add it again"
        )
    }

    static func noNode(_ name: String) -> DownloadError {
        DownloadError(
            .notFound,
            "there is no node '\(name.sanitized(atMost: 100))' at present",
            advice: "see 'pawl fleet'"
        )
    }

    static func noSession(_ name: String) -> DownloadError {
        DownloadError(
            .notFound,
            "there is no session '\(name.sanitized)'",
            advice: "see 'pawl session list'"
        )
    }
}
