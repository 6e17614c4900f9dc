internal import FoundationEssentials
internal import Pawl
internal import PawlCore
internal import PawlWire

/// Writes downloads of the daemon so that they can be added again.
struct QueueExport {
    /// The form of the result.
    enum Form { case json, list }

    let client: DaemonClient
    let form: Form
    /// Whether header fields, logins and other secrets are written, too.
    let hasSecrets: Bool

    /// What was written, and what was left out.
    struct Result {
        var text = ""
        /// Sentences for the user.
        var notes: [String] = []
    }

    /// Returns the downloads of a selection.
    func run(_ selection: Selection) async throws(DownloadError) -> Result {
        var (downloads, result) = ([NewDownload](), Result())
        for request in try await client.requests(of: selection) {
            guard let download = request.download else {
                result.notes.append(
                    request.leftOut("its URL is no longer stored, because it has finished")
                )
                continue
            }
            let written = hasSecrets ? download : download.withoutSecrets
            switch form {
            case .json: downloads.append(written)
            case .list: result.take(ListText(written), of: request)
            }
        }
        if form == .json { result.text = JSONOutput.pretty(NewDownloads(downloads)) + "\n" }
        return result
    }
}

extension QueueExport.Result {
    fileprivate mutating func take(_ entry: ListText, of request: WireRequest) {
        guard let lines = entry.text else {
            notes.append(
                request.leftOut(
                    "a list cannot contain its URL or its path; export it without --list"
                )
            )
            return
        }
        text += lines
        guard !entry.omitted.isEmpty else { return }
        let what = entry.omitted.joined(separator: ", ")
        notes.append("\(request.shown): a list cannot contain \(what)")
    }
}

extension WireRequest {
    fileprivate var shown: String { "download \(id) (\(name.sanitized))" }

    fileprivate func leftOut(_ reason: String) -> String { "\(shown) is left out: \(reason)" }
}

extension NewDownload {
    /// The download without what may be secret in its settings and its URL.
    fileprivate var withoutSecrets: NewDownload {
        var download = self
        download.settings = settings?.withoutSecrets
        download.resumeData = nil
        if let url = try? SourceURL.parse(url).url { download.url = url.absoluteString }
        return download
    }
}
