internal import Pawl
internal import PawlCore
internal import struct FoundationEssentials.URL

/// Asks on the terminal what SSH servers require: whether an unknown host key is accepted, and the
/// password of the user's key.
///
/// Elsewhere, both are errors of the downloads.
enum SSHPrompt {
    /// What the user has answered.
    struct Answers: Sendable {
        fileprivate var hostKey: String?
        fileprivate var keyPassword: String?

        func apply(to connection: inout ConnectionSettings) {
            connection.hostKey = hostKey ?? connection.hostKey
            let password = keyPassword ?? connection.clientIdentity.keyPassword
            connection.clientIdentity.keyPassword = password
        }
    }

    /// What decides which answers are needed.
    private struct Server: Hashable {
        let host: String
        let port: Int?
        let user: String?
        let knownHosts: String?
        let key: String?

        /// `nil` if the URL is not that of such a server.
        init?(_ url: URL, _ settings: DownloadSettings) {
            guard URLScheme(of: url.scheme) == .sftp, let host = url.host() else { return nil }
            (self.host, port, user) = (host, url.port, settings.credentials?.name)
            knownHosts = settings.connection.knownHostsFile
            key = settings.connection.clientIdentity.keyFile
        }
    }

    /// Runs `next` with the downloads and the answers for their servers.
    static func settle(
        _ downloads: [RequestedDownload],
        _ console: Console,
        then next: @escaping @Sendable ([RequestedDownload]) throws(DownloadError) -> VerbWork
    ) throws(DownloadError) -> VerbWork {
        guard mayAsk(downloads, console) else { return try next(downloads) }
        return console.work { () throws(DownloadError) in
            try next(try await settled(downloads, console))
        }
    }

    private static func mayAsk(_ downloads: [RequestedDownload], _ console: Console) -> Bool {
        Confirmation.isPossible(on: console)
            && downloads.contains { Server($0.url, $0.settings) != nil }
    }

    /// Returns the downloads with the answers for their servers, each of which is asked about once.
    static func settled(
        _ downloads: [RequestedDownload],
        _ console: Console
    ) async throws(DownloadError) -> [RequestedDownload] {
        guard mayAsk(downloads, console) else { return downloads }
        var settled = downloads
        var known: [Server: Answers] = [:]
        var passwords: [String: String] = [:]
        for (index, download) in downloads.enumerated() {
            guard let server = Server(download.url, download.settings), !Task.isCancelled else {
                continue
            }
            let answers: Answers
            if let earlier = known[server] {
                answers = earlier
            } else {
                let settings = download.settings
                answers = try await self.answers(for: download.url, settings, console, &passwords)
            }
            known[server] = answers
            settled[index].take(answers)
        }
        return settled
    }

    /// Returns the answers for the server of a URL.
    static func answers(
        for url: URL,
        _ settings: DownloadSettings,
        _ console: Console
    ) async throws(DownloadError) -> Answers {
        guard Server(url, settings) != nil, Confirmation.isPossible(on: console) else {
            return Answers()
        }
        var passwords: [String: String] = [:]
        return try await answers(for: url, settings, console, &passwords)
    }

    /// Asks the server, and then the user about what it requires.
    ///
    /// `passwords`: those that were given for files with keys.
    private static func answers(
        for url: URL,
        _ settings: DownloadSettings,
        _ console: Console,
        _ passwords: inout [String: String]
    ) async throws(DownloadError) -> Answers {
        var answers = Answers()
        while true {
            var settings = settings
            answers.apply(to: &settings.connection)
            guard let failure = await failure(of: url, settings), let subject = failure.subject
            else { return answers }
            switch failure.kind {
            case "hostKeyUnknown" where settings.connection.hostKey == nil:
                guard accepts(failure, of: url, console) else { return answers }
                answers.hostKey = subject
            case "clientKeyUnusable" where answers.keyPassword == nil:
                if passwords[subject] == nil {
                    let key = LockedKey(file: subject)
                    passwords[subject] = try PasswordPrompt.ask(for: key, console: console)
                }
                answers.keyPassword = passwords[subject]
            default: return answers
            }
        }
    }

    /// The reason why the server cannot be asked; `nil` if it can.
    private static func failure(
        of url: URL,
        _ settings: DownloadSettings
    ) async -> NetworkFailure? {
        do {
            _ = try await DownloadSession.shared.inspect(url) { $0 = settings }
            return nil
        } catch {
            return error.cause as? NetworkFailure
        }
    }

    /// Whether the user accepts an unknown host key.
    private static func accepts(
        _ failure: NetworkFailure,
        of url: URL,
        _ console: Console
    ) -> Bool {
        let host = url.host() ?? ""
        console.message("The host key of \(host.sanitized) is not known:")
        console.message("  \(failure.message.sanitized)")
        let question = "Accept it and add it to the known hosts?"
        return Confirmation.ask(question, on: console)
    }
}
