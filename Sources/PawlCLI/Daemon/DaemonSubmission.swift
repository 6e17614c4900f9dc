internal import FoundationEssentials
internal import Pawl
internal import PawlCore
internal import PawlWire

/// Adds downloads to the daemon's queue; starts the daemon if necessary.
struct DaemonSubmission {
    var priority: WirePriority?
    var session: String?
    /// The label, whose folder is used by downloads without one.
    var label: String?
    var isPaused = false
    /// Whether the downloads are confined like those of other programs, because a web page has
    /// chosen their URLs.
    var isConfined = false
    /// Whether files without a given folder are saved in the first folder that the daemon allows.
    var usesAllowedFolder = false
    var notBefore: Date?
    /// Whether the IDs and names are not printed.
    var isQuiet = false

    /// Returns a download with what was chosen for all.
    func new(
        _ requested: RequestedDownload,
        isForRemoteDaemon: Bool
    ) throws(DownloadError) -> NewDownload {
        var new = try NewDownload(requested, isForRemoteDaemon: isForRemoteDaemon)
        new.priority = priority
        new.session = session
        new.label = label
        new.isPaused = isPaused ? true : nil
        new.notBefore = notBefore
        new.isConfined = isConfined ? true : nil
        if usesAllowedFolder, case .directory = requested.destination { new.destination = "" }
        return new
    }

    /// Adds the downloads and prints their IDs and names.
    func work(
        _ requested: [RequestedDownload],
        json: Bool,
        _ console: Console
    ) throws(DownloadError) -> VerbWork {
        let isForRemoteDaemon = try ChosenDaemon.isRemote()
        let downloads = try requested.map { (download) throws(DownloadError) in
            let new = try self.new(download, isForRemoteDaemon: isForRemoteDaemon)
            return (new: new, pathInLabel: download.pathInLabel)
        }
        let (isQuiet, usedLabel) = (isQuiet, label)
        return try daemonWork(console) { (client) async throws(DownloadError) in
            let folder = try await client.folder(ofLabel: usedLabel)
            let new = downloads.map { download in
                var new = download.new
                if let folder, let pathInLabel = download.pathInLabel {
                    new.destination = folder + pathInLabel
                }
                return new
            }
            return try await console.submit(new, to: client, json: json, isQuiet: isQuiet)
        }
    }
}

extension Console {
    /// Adds downloads, and prints the IDs and names of those that were added, even if not all were.
    ///
    /// Returns the exit status.
    func submit(
        _ downloads: [NewDownload],
        to client: DaemonClient,
        json: Bool,
        isQuiet: Bool = false
    ) async throws(DownloadError) -> Int32 {
        let result = try await ListSubmission(downloads, to: client).run()
        if !isQuiet { show(added: result.outcome, json: json) }
        guard let failure = result.failure else { return 0 }
        // After Ctrl-C, too, this states how many were added.
        report(failure)
        return failure.code.exitStatus
    }

    /// Prints the IDs and names of added downloads, or JSON.
    func show(added outcome: WireOutcome, json: Bool) {
        show(outcome, json: json) {
            outcome.downloads.map { "\($0.id)\t\($0.name.sanitized)\n" }.joined()
        }
    }
}

extension DaemonClient {
    /// Returns the folder of a label; `nil` if it has none.
    ///
    /// Starts the daemon if necessary.
    func folder(ofLabel name: String?) async throws(DownloadError) -> String? {
        guard let name else { return nil }
        let labels = try await process.starting { (client) async throws(DownloadError) in
            try await client.labels()
        }
        return labels.first { $0.name.isExactly(name) }?.folder?.asFolderPath
    }
}

extension NewDownload {
    /// The requested download with absolute paths.
    ///
    /// For the daemon of another machine, a path may be relative to that daemon's folder for
    /// downloads, which is also used if the command line names none.
    init(
        _ requested: RequestedDownload,
        isForRemoteDaemon: Bool = false
    ) throws(DownloadError) {
        guard !requested.isForStandardOutput else {
            throw .usage(
                "the daemon cannot write to standard output",
                advice: "use 'pawl --output - <url>'; for a file named '-', use --output ./-"
            )
        }
        let settings = try Self.settings(requested)
        self.init(
            url: requested.url.absoluteString,
            destination: try Self.destination(requested, isForRemoteDaemon: isForRemoteDaemon),
            settings: SettingsDocument(settings)
        )
    }

    private static func destination(
        _ requested: RequestedDownload,
        isForRemoteDaemon: Bool
    ) throws(DownloadError) -> String {
        if isForRemoteDaemon, let path = requested.pathInLabel {
            return try RemotePath.check(path, "--output")
        }
        switch requested.destination {
        case .file(let path) where isForRemoteDaemon:
            return try RemotePath.check(path, "--output")
        case .directory(let path) where isForRemoteDaemon:
            return try RemotePath.check(path, "--directory").asFolderPath
        case .object(let url): return url.absoluteString
        case .file(let path): return try CurrentFolder.absolute(path)
        case .directory(let path):
            let folder = path.asFolderPath
            return try CurrentFolder.absolute(folder == "./" ? "" : folder)
        }
    }

    /// The settings with absolute paths of the files that they name.
    private static func settings(
        _ requested: RequestedDownload
    ) throws(DownloadError) -> DownloadSettings {
        var settings = requested.settings
        for file in ConnectionSettings.files {
            guard let path = settings.connection[keyPath: file.path] else { continue }
            guard path != "-", !OutputPath.isPipe(path) else {
                throw .usage(
                    "--\(file.name): the daemon cannot read the pipe \(path.sanitized)",
                    advice: "save it as a file, and name that"
                )
            }
            settings.connection[keyPath: file.path] =
                try CurrentFolder.absolute(path, option: "--" + file.name)
        }
        return settings
    }
}
