internal import FoundationEssentials
internal import Pawl
internal import PawlCore
internal import PawlWire

/// Hands downloads to the daemon, which is started if it does not run.
struct HandingOver {
    var priority: WirePriority?
    var session: String?
    var isPaused = false
    var notBefore: Date?
    /// The ids and the names are not said.
    var isQuiet = false

    /// Shows the new ids and the names.
    func work(
        _ orders: [DownloadOrder],
        json: Bool,
        _ console: Console
    ) throws(DownloadError) -> VerbWork {
        let folder = try CurrentFolder()
        let downloads = orders.map { order in
            var new = NewDownload(order, from: folder)
            new.priority = priority
            new.session = session
            new.isPaused = isPaused ? true : nil
            new.notBefore = notBefore
            return new
        }
        // Asked twice, they are added once.
        let key = UUID().uuidString
        let isQuiet = isQuiet
        return try daemonWork(console) { (client) async throws(DownloadError) in
            let outcome = try await client.starting { (client) async throws(DownloadError) in
                try await client.add(downloads, key: key)
            }
            if isQuiet { return 0 }
            console.output(
                json
                    ? JSONText.pretty(outcome) + "\n"
                    : outcome.downloads.map { "\($0.id)\t\($0.name.sanitized)\n" }.joined()
            )
            return 0
        }
    }
}

extension NewDownload {
    /// What was ordered, with paths that hold in any folder.
    init(_ order: DownloadOrder, from folder: CurrentFolder) {
        let place: String
        switch order.destination {
        case .file(let path): place = path
        case .directory(let path): place = path.hasSuffix("/") ? path : "\(path)/"
        }
        var settings = order.settings
        settings.connection.authoritiesFile = settings.connection.authoritiesFile.map(
            folder.absolute
        )
        self.init(
            url: order.url.absoluteString,
            destination: folder.absolute(place == "./" ? "" : place),
            settings: SettingsDocument(settings)
        )
    }
}
