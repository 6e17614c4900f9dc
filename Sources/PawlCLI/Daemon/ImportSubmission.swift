internal import Pawl
internal import PawlCore
internal import PawlWire

/// Adds a long list to the daemon's queue, line by line; starts the daemon if necessary.
///
/// Unlike the downloads of a short list, those of a long one are not compared with each other.
struct ImportSubmission: Sendable {
    private let submission: DaemonSubmission
    private let options: [OptionAssignment]
    private let config: UserConfig
    private let list: LongList

    init(
        _ submission: DaemonSubmission,
        _ options: [OptionAssignment],
        _ config: UserConfig,
        _ list: LongList
    ) {
        (self.submission, self.options) = (submission, options)
        (self.config, self.list) = (config, list)
    }

    /// Adds the downloads, prints their number, and reports the lines that were refused.
    func work(json: Bool, _ console: Console) throws(DownloadError) -> VerbWork {
        let isForRemoteDaemon = try ChosenDaemon.isRemote()
        let common = try CommonOptions(
            typed: options,
            config: config,
            netrcFile: isForRemoteDaemon ? nil : NetrcFile.usual,
            isForRemoteDaemon: isForRemoteDaemon
        )
        if common.typed.output != nil { throw InputList.isForOneURL("--output") }
        try DownloadBatch.checkDescribesAll(common.typed)
        ConfigVariables.notes(on: config.unknownVariables).forEach(console.message)
        return try daemonWork(console) {
            [submission, config, list] (client) async throws(DownloadError) in
            var source = ImportSource(
                list,
                submission,
                common,
                folder: try await client.folder(ofLabel: submission.label),
                isForRemoteDaemon: isForRemoteDaemon
            )
            source.isUniform = !config.dependsOnHost && !config.hasCommands
            let report = RefusedLines(list.name, console)
            let state = try await ListImport(list.identity, to: client).run(
                { () throws(DownloadError) in try source.next(report) },
                refused: report.add
            )
            guard let state else {
                throw .usage("\(list.name) contains no URL", advice: "write one URL per line")
            }
            console.show(state, json: json) { "\(state.added) downloads added\n" }
            return report.finish(count: Int(clamping: state.refused) + source.refused)
        }
    }
}

/// Reports the lines of a list that were refused: the first ones, and the number of the others.
private final class RefusedLines {
    private let list: String
    private let console: Console
    private var count = 0

    private static let mostReported = 20

    init(_ list: String, _ console: Console) { (self.list, self.console) = (list, console) }

    /// `number`: the number of the line.
    func add(_ number: Int, _ error: DownloadError) {
        var named = DownloadError(
            error.code,
            "\(list), line \(number): \(error.message)",
            advice: error.guidance
        )
        named.context = error.context
        add(named)
    }

    /// Reports an error that names the line.
    func add(_ error: DownloadError) {
        count += 1
        if count <= Self.mostReported { console.report(error) }
    }

    /// Reports the number of all lines that were refused, and returns the exit status.
    func finish(count: Int) -> Int32 {
        guard count > 0 else { return 0 }
        let lines = count == 1 ? "1 line was" : "\(count) lines were"
        console.message("pawl: \(lines) refused; all others are added")
        return ErrorCode.usage.exitStatus
    }
}

/// Makes lines of an import of the lines of a list.
private struct ImportSource {
    private var reader: LongList.Reader
    private let list: LongList
    private let submission: DaemonSubmission
    private var common: CommonOptions
    private let folder: String?
    private let isForRemoteDaemon: Bool
    /// Whether the options are the same for all hosts.
    var isUniform = false
    /// Whether the last download has no options of its own, so that others differ only by their URLs.
    private var isCommon = false
    /// The other URLs of a pattern, the last one first, with their entry and the number of its line.
    private var pattern: (urls: [String], entry: InputList.Entry, number: Int)?
    private var checkedProfiles: Set<String> = []
    /// The number of lines that were refused.
    private(set) var refused = 0
    private var hasDownload = false

    /// The number of lines that may be refused before the first download.
    private static let mostRefusedFirst = 100

    init(
        _ list: LongList,
        _ submission: DaemonSubmission,
        _ common: CommonOptions,
        folder: String?,
        isForRemoteDaemon: Bool
    ) {
        (self.list, self.submission, self.common) = (list, submission, common)
        (self.folder, self.isForRemoteDaemon) = (folder, isForRemoteDaemon)
        reader = list.reader()
    }

    /// Returns the next line that is not refused; `nil` at the end.
    mutating func next(_ report: RefusedLines) throws(DownloadError) -> ListImport.Line? {
        while true {
            do throws(DownloadError) {
                guard let line = try nextLine() else { return nil }
                hasDownload = true
                return line
            } catch {
                guard error.code == .usage, hasDownload || refused < Self.mostRefusedFirst else {
                    throw error
                }
                refused += 1
                report.add(error)
            }
        }
    }

    private mutating func nextLine() throws(DownloadError) -> ListImport.Line? {
        if let url = pattern?.urls.popLast(), let (_, entry, number) = pattern {
            return ListImport.Line(.download(try download(url, entry)), number: number)
        }
        pattern = nil
        guard let (item, number) = try reader.next() else { return nil }
        switch item {
        case .url(let bytes):
            if isCommon { return ListImport.Line(.url(bytes), number: number) }
            let url = String(decoding: bytes, as: UTF8.self)
            let entry = InputList.Entry(url: url, location: "\(list.name), line \(number)")
            let new = try download(url, entry)
            isCommon = isUniform
            return ListImport.Line(.download(new), number: number)
        case .entry(let entry):
            isCommon = false
            try DownloadBatch.checkPassword(of: entry)
            var urls = Array(try URLPattern.expand(entry.url).reversed())
            guard let url = urls.popLast() else { return try nextLine() }
            pattern = (urls, entry, number)
            return ListImport.Line(.download(try download(url, entry)), number: number)
        }
    }

    private mutating func download(
        _ url: String,
        _ entry: InputList.Entry
    ) throws(DownloadError) -> NewDownload {
        let options = try common.options(for: url, listed: entry.options)
        let requested = try RequestedDownload(url, options, location: entry.location)
        guard requested.missingPassword == nil, requested.lockedKey == nil else {
            throw .usage(
                "\(entry.location): missing password",
                advice: "give it with an option: nobody is asked for those of a long list"
            )
        }
        if let profile = requested.settings.connection.browserProfile,
            checkedProfiles.insert("\(profile)").inserted
        {
            try profile.checkCookies()
        }
        var new = try submission.new(requested, isForRemoteDaemon: isForRemoteDaemon)
        if let folder, let path = requested.pathInLabel { new.destination = folder + path }
        return new
    }
}
