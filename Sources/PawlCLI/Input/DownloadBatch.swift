internal import Pawl
package import PawlCore

/// The downloads of one command: those of the command line, then those of the list.
package struct DownloadBatch: Sendable {
    package private(set) var downloads: [RequestedDownload] = []
    /// Messages for the user about repeated downloads.
    package private(set) var notes: [String] = []

    package init(
        urls: [String],
        list: InputList?,
        options: [OptionAssignment],
        config: UserConfig = .empty,
        netrcFile: String? = nil,
        isForRemoteDaemon: Bool = false
    ) throws(DownloadError) {
        var common = try CommonOptions(
            typed: options,
            config: config,
            netrcFile: netrcFile,
            isForRemoteDaemon: isForRemoteDaemon
        )
        var single: [String] = []
        for url in urls { single += try URLPattern.expand(url) }
        try Self.checkCombinations(urls: single, list: list, typed: common.typed)
        var list = list
        if let output = common.typed.output { try list?.rename(to: output, "--output") }
        for url in single {
            downloads.append(try RequestedDownload(url, try common.options(for: url)))
        }
        for entry in list?.entries ?? [] { try add(entry, &common) }
        // A single download needs no comparison, so its folder is not looked up.
        guard downloads.count > 1 else { return }
        var targets = resolvedTargets()
        try removeRepeated(&targets)
        try checkOutputsDiffer(targets)
    }

    /// Returns the downloads of a command.
    ///
    /// Asks for each password that was left out. `prints`: whether the notes are printed.
    /// `isForRemoteDaemon`: whether the daemon of another machine runs them, which has other folders
    /// and not the passwords of this machine's files.
    static func asked(
        urls: [String],
        list: InputList?,
        options: [OptionAssignment],
        config: UserConfig,
        _ console: Console,
        prints: Bool = true,
        isForRemoteDaemon: Bool = false
    ) throws(DownloadError) -> DownloadBatch {
        var batch = try DownloadBatch(
            urls: urls,
            list: list,
            options: options,
            config: list?.isFromServer == true ? config.forListFromServer : config,
            netrcFile: isForRemoteDaemon ? nil : NetrcFile.usual,
            isForRemoteDaemon: isForRemoteDaemon
        )
        for missing in batch.missingPasswords {
            batch.complete(missing, with: try missing.read(console))
        }
        try LockedKey.unlock(&batch.downloads, console)
        try checkBrowserProfiles(of: batch.downloads)
        if prints {
            let notes = ConfigVariables.notes(on: config.unknownVariables) + batch.notes
            notes.forEach(console.message)
        }
        return batch
    }

    /// Throws if the cookies of a browser cannot be read: without them, a server may answer with a
    /// page to sign in.
    static func checkBrowserProfiles(of downloads: [RequestedDownload]) throws(DownloadError) {
        for profile in Set(downloads.compactMap(\.settings.connection.browserProfile)) {
            try profile.checkCookies()
        }
    }

    /// The targets of the downloads, which are equal if only the spelling of a folder differs.
    private func resolvedTargets() -> [DownloadTarget] {
        var folders: [ExactText: String] = [:]
        return downloads.map { download in
            download.target.resolved { folder in
                if let known = folders[ExactText(folder)] { return known }
                let resolved = FolderSpelling.resolved(folder)
                folders[ExactText(folder)] = resolved
                return resolved
            }
        }
    }

    /// The passwords that were left out, each once.
    package var missingPasswords: [MissingPassword] {
        var found: [MissingPassword] = []
        for missing in downloads.compactMap(\.missingPassword) where !found.contains(missing) {
            found.append(missing)
        }
        return found
    }

    package mutating func complete(_ missing: MissingPassword, with password: String) {
        for index in downloads.indices { downloads[index].complete(missing, with: password) }
    }

    private mutating func add(
        _ entry: InputList.Entry,
        _ common: inout CommonOptions
    ) throws(DownloadError) {
        try Self.checkPassword(of: entry)
        for url in try URLPattern.expand(entry.url) {
            let options = try common.options(for: url, listed: entry.options)
            downloads.append(try RequestedDownload(url, options, location: entry.location))
        }
    }

    /// Throws `.usage` for a user of a list without a password, which nobody is asked for.
    static func checkPassword(of entry: InputList.Entry) throws(DownloadError) {
        if let name = entry.options.first(where: { $0.name == "user" && !$0.value.contains(":") }) {
            throw .usage("\(name.location): missing password", advice: "write user=name:password")
        }
    }

    private static func checkCombinations(
        urls: [String],
        list: InputList?,
        typed: DownloadOptions
    ) throws(DownloadError) {
        guard !urls.isEmpty || list != nil else {
            throw .usage("missing URL", advice: "see 'pawl --help'")
        }
        if typed.output != nil {
            let count = urls.count + (list == nil ? 0 : 1)
            guard count == 1 else {
                throw .usage(
                    "--output cannot be used with \(list == nil ? "\(count) URLs" : "a URL and a list")",
                    advice: "use --directory, or one URL per command"
                )
            }
        }
        guard urls.count + (list?.entries.count ?? 0) > 1 else { return }
        try checkDescribesAll(typed)
    }

    /// Throws `.usage` for an option that describes one file, and not several.
    static func checkDescribesAll(_ typed: DownloadOptions) throws(DownloadError) {
        let settings = typed.settings
        let ofOneFile = [
            ("mirror", !settings.mirrors.isEmpty), ("checksum", settings.checksum.isGiven),
            ("size", settings.expectedSize != nil), ("pieces", settings.pieces != nil),
        ]
        for (name, isGiven) in ofOneFile where isGiven {
            throw .usage(
                "--\(name) cannot be used with several URLs",
                advice: "write \(name)=… below each URL in a list for --input-file"
            )
        }
    }

    /// Keeps one of several downloads with the same URL and destination.
    private mutating func removeRepeated(
        _ targets: inout [DownloadTarget]
    ) throws(DownloadError) {
        var counts: [Int] = []
        var indices: [DownloadTarget: Int] = [:]
        var first: [RequestedDownload] = []
        var different: [DownloadTarget] = []
        for (download, target) in zip(downloads, targets) {
            guard let index = indices[target] else {
                indices[target] = first.count
                counts.append(1)
                first.append(download)
                different.append(target)
                continue
            }
            counts[index] += 1
            guard download.repeats(first[index]) else {
                throw .usage(
                    "\(download.url.redacted) is given twice with the same destination and "
                        + "different options",
                    advice: "give each its own output, or remove one of them"
                )
            }
        }
        guard first.count < downloads.count else { return }
        (downloads, targets) = (first, different)
        notes = zip(first, counts).compactMap { download, count in
            guard count > 1 else { return nil }
            let times = count == 2 ? "twice" : "\(count) times"
            return "\(download.url.redacted) is given \(times) and is downloaded once"
        }
    }

    /// Two downloads to one file would lock each other out.
    private func checkOutputsDiffer(_ targets: [DownloadTarget]) throws(DownloadError) {
        var seen: Set<ExactText> = []
        for (download, target) in zip(downloads, targets) {
            guard let file = target.file else { continue }
            guard seen.insert(ExactText(file)).inserted else {
                throw .usage(
                    "two downloads have the same output '\(download.destination.text)'",
                    advice: "give each its own output"
                )
            }
        }
    }
}
