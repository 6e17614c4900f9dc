internal import Pawl
internal import PawlCore

/// Repairs damaged files: fetches them again, with the user's options for their URLs.
struct RepairRun: Sendable {
    /// A damaged file.
    struct Damage: Sendable {
        let file: VerifiedFile
        /// The digest that the file should have; `nil` if only those of its pieces are known.
        let digest: ContentDigest?
    }

    enum RepairEnding: Sendable {
        case repaired
        case failed(DownloadError)
        case interrupted
    }

    private struct Repair: Sendable {
        let index: Int
        let plan: FileRepair.Plan
        var download: RequestedDownload
    }

    private let options: [OptionAssignment]
    private let config: UserConfig
    private let configuration: SessionConfiguration
    private let console: Console

    /// Throws if an option is not valid, before any file is read.
    init(
        _ options: [OptionAssignment],
        _ config: UserConfig,
        _ configuration: SessionConfiguration,
        _ console: Console
    ) throws(DownloadError) {
        _ = try CommonOptions(typed: options, config: config, netrcFile: NetrcFile.usual)
        (self.options, self.config) = (options, config)
        (self.configuration, self.console) = (configuration, console)
    }

    /// Repairs the files, and returns how each has ended.
    func run(_ damages: [Damage], isQuiet: Bool) async -> [RepairEnding] {
        var (endings, repairs) = (
            [RepairEnding](repeating: .interrupted, count: damages.count), [Repair]()
        )
        for (index, damage) in damages.enumerated() where !Task.isCancelled {
            do throws(DownloadError) {
                repairs.append(try repair(of: damage, index))
            } catch {
                endings[index] = .failed(error)
            }
        }
        let downloads: [RequestedDownload]
        do throws(DownloadError) {
            downloads = try await settled(repairs.map(\.download))
        } catch {
            for repair in repairs { endings[repair.index] = .failed(error) }
            return endings
        }
        for (index, download) in downloads.enumerated() { repairs[index].download = download }
        let progress = VerifyProgress(repairs.map(\.plan.path), console)
        let session = DownloadSession(
            configuration.allowing(downloads.map(\.settings.connections)),
            logger: console.logger(isQuiet ? .quiet : .normal)
        )
        let ended = await progress.shown { [repairs] in
            await Self.run(repairs, in: session, progress)
        }
        await session.saveFiles()
        for (repair, ending) in zip(repairs, ended) { endings[repair.index] = ending }
        return endings
    }

    /// Returns the downloads with what the user has answered about keys.
    private func settled(
        _ downloads: [RequestedDownload]
    ) async throws(DownloadError) -> [RequestedDownload] {
        var downloads = downloads
        try LockedKey.unlock(&downloads, console)
        return try await SSHPrompt.settled(downloads, console)
    }

    private func repair(of damage: Damage, _ index: Int) throws(DownloadError) -> Repair {
        let path = damage.file.path
        let recorded = FileVerifier.recordedSources(of: path)
        let sources = damage.file.sources + recorded
        guard let first = sources.first else {
            throw .usage(
                "\(path.sanitized) is damaged, and its URL is not known",
                advice: "give it with --url, or use a Metalink"
            )
        }
        // The user has not named the server.
        let config = damage.file.sources.isEmpty ? try configForRecorded(first) : config
        var common = try CommonOptions(typed: options, config: config, netrcFile: NetrcFile.usual)
        var download = try RequestedDownload(first, try common.options(for: first))
        if let missing = download.missingPassword {
            download.complete(missing, with: try missing.read(console))
        }
        try DownloadBatch.checkBrowserProfiles(of: [download])
        var plan = FileRepair.Plan(path: path, from: download.url)
        plan.mirrors = sources.dropFirst().compactMap { source in
            // Another source that is not valid is not needed.
            (try? SourceURL.parse(source).url).flatMap { $0 == download.url ? nil : $0 }
        }
        (plan.digest, plan.pieces, plan.size) = (
            damage.digest, damage.file.pieces, damage.file.size
        )
        plan.recordsOrigin = FileVerifier.hasRecordedOrigin(path)
        return Repair(index: index, plan: plan, download: download)
    }

    /// Returns the config for a URL that is stored with a file: as for a list from a server, secrets
    /// only for a host that is named.
    private func configForRecorded(_ source: String) throws(DownloadError) -> UserConfig {
        let given = config.common + options
        if let secret = given.first(where: RemoteList.isForOneServer) {
            throw .usage(
                "\(secret.location) and a URL that is stored with the file cannot be combined",
                advice: "the URL's server would receive it; if "
                    + "\(AddressParts(source).redacted.sanitized) is right, give it with --url"
            )
        }
        return config.forListFromServer
    }

    /// Runs the repairs, several at a time, and returns how each has ended.
    private static func run(
        _ repairs: [Repair],
        in session: DownloadSession,
        _ progress: VerifyProgress
    ) async -> [RepairEnding] {
        await repairs.concurrentMap(atMost: VerifyProgress.mostFiles) { index, repair in
            await run(repair, index, in: session, progress)
        }
    }

    private static func run(
        _ repair: Repair,
        _ index: Int,
        in session: DownloadSession,
        _ progress: VerifyProgress
    ) async -> RepairEnding {
        guard !Task.isCancelled else { return .interrupted }
        defer { progress.ended(index) }
        do throws(DownloadError) {
            let work = FileRepair(repair.plan, settings: repair.download.settings)
            try await work.run(in: session) { task in
                progress.follow(index) { task.currentProgress }
            }
            return .repaired
        } catch {
            if error.code == .cancelled || error.code == .interrupted { return .interrupted }
            var error = error
            error.guidance = advice(for: error)
            return .failed(error)
        }
    }

    /// The advice of a download, whose options for names and checksums a repair does not have.
    private static func advice(for error: DownloadError) -> Advice {
        error.guidance
            .replacing(.otherName, with: "another name for the file")
            .replacing(.otherLocation, with: "another folder or name for the file")
            .replacing(.shorterName, with: "a shorter name for the file")
            .replacing(.otherFileSystem, with: "a folder on another file system for the file")
            .replacing(.folder, with: "the file")
            .replacing(.ifExists, with: "repair a copy with another name")
            .replacing(.adoptsPartialFile, with: "download the file again")
            .replacing(.checksum, with: "download it again with 'pawl get --checksum none'")
    }
}
