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
        netrcFile: String? = nil
    ) throws(DownloadError) {
        var common = DownloadOptions(netrcFile: netrcFile)
        for option in options { try common.apply(option) }
        var single: [String] = []
        for url in urls { single += try URLPattern.expand(url) }
        try Self.checkCombinations(urls: single, list: list, common: common)
        for url in single { downloads.append(try RequestedDownload(url, common)) }
        for entry in list?.entries ?? [] { try add(entry, common) }
        // A single download needs no comparison, so its folder is not looked up.
        guard downloads.count > 1 else { return }
        var targets = resolvedTargets()
        try removeRepeated(&targets)
        try checkOutputsDiffer(targets)
    }

    /// Returns the downloads of a command, after a missing password was typed.
    ///
    /// `prints`: whether the notes are printed.
    static func asked(
        urls: [String],
        list: InputList?,
        options: [OptionAssignment],
        _ console: Console,
        prints: Bool = true
    ) throws(DownloadError) -> DownloadBatch {
        var batch = try DownloadBatch(
            urls: urls,
            list: list,
            options: options,
            netrcFile: NetrcFile.usual
        )
        try batch.askForPassword(console)
        if prints { batch.notes.forEach(console.message) }
        return batch
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

    /// Asks on the terminal for a password that `--user` leaves out.
    private mutating func askForPassword(_ console: Console) throws(DownloadError) {
        guard let name = nameWithoutPassword else { return }
        complete(password: try PasswordPrompt.ask(for: name, console: console))
    }

    /// The user name whose password is missing.
    package var nameWithoutPassword: String? {
        downloads.first(where: \.isPasswordMissing)?.settings.credentials?.name
    }

    package mutating func complete(password: String) {
        for index in downloads.indices { downloads[index].complete(password: password) }
    }

    private mutating func add(
        _ entry: InputList.Entry,
        _ common: DownloadOptions
    ) throws(DownloadError) {
        var options = common
        if entry.options.contains(where: { ["data", "json"].contains($0.name) }) {
            options.removeBody()
        }
        for option in entry.options {
            try options.apply(option)
            guard option.name != "user" || !options.isPasswordMissing else {
                throw .usage(
                    "\(option.location): missing password",
                    advice: "write user=name:password"
                )
            }
        }
        for url in try URLPattern.expand(entry.url) {
            downloads.append(try RequestedDownload(url, options, location: entry.location))
        }
    }

    private static func checkCombinations(
        urls: [String],
        list: InputList?,
        common: DownloadOptions
    ) throws(DownloadError) {
        guard !urls.isEmpty || list != nil else {
            throw .usage("missing URL", advice: "see 'pawl --help'")
        }
        if common.output != nil {
            guard list == nil else {
                throw .usage(
                    "--output and --input-file cannot be combined",
                    advice: "write output=name below a URL in the list"
                )
            }
            guard urls.count == 1 else {
                throw .usage(
                    "--output cannot be used with \(urls.count) URLs",
                    advice: "use --directory, or one URL per command"
                )
            }
        }
        guard urls.count + (list?.entries.count ?? 0) > 1 else { return }
        guard common.settings.mirrors.isEmpty else {
            throw .usage(
                "--mirror cannot be used with several URLs",
                advice: "write mirror=… below each URL in a list for --input-file"
            )
        }
        guard !common.settings.checksum.isGiven else {
            throw .usage(
                "--checksum cannot be used with several URLs",
                advice: "write checksum=… below each URL in a list for --input-file"
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
            guard case .file(let path) = download.destination, let file = target.file else {
                continue
            }
            guard seen.insert(ExactText(file)).inserted else {
                throw .usage(
                    "two downloads have the same output '\(path)'",
                    advice: "give each its own output"
                )
            }
        }
    }
}
