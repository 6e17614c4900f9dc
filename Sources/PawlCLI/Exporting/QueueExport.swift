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
        for row in try await client.selected(selection) {
            guard let download = try await request(of: row) else {
                result.notes.append(
                    "download \(row.id) (\(row.name.sanitized)) is left out: its URL is no longer "
                        + "stored, because it has finished"
                )
                continue
            }
            downloads.append(hasSecrets ? download : download.withoutSecrets)
        }
        switch form {
        case .json: result.text = JSONText.pretty(NewDownloads(downloads)) + "\n"
        case .list:
            for download in downloads {
                let entry = ListText(download)
                result.text += entry.text
                guard !entry.omitted.isEmpty else { continue }
                let names = entry.omitted.map { "--" + $0 }.joined(separator: ", ")
                result.notes.append("\(download.url.redactedText): a list cannot contain \(names)")
            }
        }
        return result
    }

    /// The request of a download; `nil` if it is not known any more.
    private func request(of row: WireDownload) async throws(DownloadError) -> NewDownload? {
        do throws(DownloadError) {
            return try await client.request(of: row.id)
        } catch  where error.code == .notFound {
            // It was removed meanwhile.
            return nil
        }
    }
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

extension String {
    /// The URL as it may be shown.
    fileprivate var redactedText: String {
        (try? SourceURL.parse(self).url.redacted) ?? sanitized(atMost: 100)
    }
}
