internal import FoundationEssentials
internal import Glibc
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
        let folder = try Self.currentFolder()
        let downloads = orders.map { order in
            var new = NewDownload(order, from: folder.hasSuffix("/") ? folder : "\(folder)/")
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

    private static func currentFolder() throws(DownloadError) -> String {
        guard let path = getcwd(nil, 0) else {
            throw DownloadError(
                .directoryNotUsable,
                "the current folder cannot be told: \(String(cString: strerror(errno)))",
                advice: "change to another one"
            )
        }
        defer { free(path) }
        return String(cString: path)
    }
}

extension NewDownload {
    /// What was ordered, with paths that hold in any folder.
    init(_ order: DownloadOrder, from folder: String) {
        let place: String
        switch order.destination {
        case .file(let path): place = path
        case .directory(let path): place = path.hasSuffix("/") ? path : "\(path)/"
        }
        var settings = order.settings
        settings.connection.authoritiesFile = settings.connection.authoritiesFile.map {
            Self.absolute($0, from: folder)
        }
        self.init(
            url: order.url.absoluteString,
            destination: Self.absolute(place == "./" ? "" : place, from: folder),
            settings: WireSettings(settings)
        )
    }

    private static func absolute(_ path: String, from folder: String) -> String {
        path.hasPrefix("/") ? path : folder + path
    }
}
