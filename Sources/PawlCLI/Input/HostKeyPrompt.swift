internal import Pawl
internal import PawlCore
internal import struct FoundationEssentials.URL

/// Asks on the terminal whether unknown host keys of SSH servers are accepted.
enum HostKeyPrompt {
    /// Runs `next` with the downloads and the keys that the user has accepted for them.
    ///
    /// Asks once for each server, and only on a terminal; elsewhere an unknown key is the error of
    /// the download.
    static func settle(
        _ downloads: [RequestedDownload],
        _ console: Console,
        then next: @escaping @Sendable ([RequestedDownload]) throws(DownloadError) -> VerbWork
    ) throws(DownloadError) -> VerbWork {
        guard mayAsk(downloads, console) else { return try next(downloads) }
        return console.work { () throws(DownloadError) in
            try next(await settled(downloads, console))
        }
    }

    private static func mayAsk(_ downloads: [RequestedDownload], _ console: Console) -> Bool {
        Confirmation.isPossible(on: console)
            && downloads.contains { Server($0) != nil }
    }

    /// Returns the downloads with the keys that the user has accepted for them.
    static func settled(
        _ downloads: [RequestedDownload],
        _ console: Console
    ) async -> [RequestedDownload] {
        guard mayAsk(downloads, console) else { return downloads }
        var settled = downloads
        var servers: [Server: String?] = [:]
        for (index, download) in downloads.enumerated() {
            guard let server = Server(download), !Task.isCancelled else { continue }
            if servers[server] == nil {
                servers[server] = await accepted(for: download.url, download.settings, console)
            }
            if let fingerprint = servers[server] ?? nil {
                settled[index].accept(hostKey: fingerprint)
            }
        }
        return settled
    }

    /// What decides which key is accepted.
    private struct Server: Hashable {
        let host: String
        let port: Int?
        let knownHosts: String?

        init?(_ download: RequestedDownload) {
            let connection = download.settings.connection
            guard URLScheme(of: download.url.scheme) == .sftp, connection.hostKey == nil,
                let host = download.url.host()
            else { return nil }
            (self.host, port) = (host, download.url.port)
            knownHosts = connection.knownHostsFile
        }
    }

    /// Asks for a folder, and notes the accepted key in the settings.
    static func settle(
        _ folder: ListedFolder,
        _ settings: inout DownloadSettings,
        _ console: Console
    ) async {
        // The server shows its key before it says that there is no such file.
        guard let url = URL(string: folder.address + "pawl"),
            URLScheme(of: url.scheme) == .sftp, settings.connection.hostKey == nil,
            Confirmation.isPossible(on: console)
        else { return }
        settings.connection.hostKey = await accepted(for: url, settings, console)
    }

    /// The fingerprint that the user accepts; `nil` if the key is known or refused.
    private static func accepted(
        for url: URL,
        _ settings: DownloadSettings,
        _ console: Console
    ) async -> String? {
        do {
            _ = try await DownloadSession.shared.inspect(url) { $0 = settings }
            return nil
        } catch {
            guard let cause = error.cause as? NetworkFailure, cause.kind == "hostKeyUnknown",
                let fingerprint = cause.message.split(separator: " ").last.map(String.init)
            else { return nil }
            let host = url.host() ?? ""
            console.message("The host key of \(host.sanitized) is not known:")
            console.message("  \(cause.message.sanitized)")
            let question = "Accept it and add it to the known hosts?"
            return Confirmation.ask(question, on: console) ? fingerprint : nil
        }
    }
}
