internal import ArgumentParser
internal import Pawl
internal import PawlCore

/// `pawl verify`: compares files with their checksums.
struct VerifyCommand: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Compare files with their checksums.",
        usage: "pawl verify [<options>] [<file> ...]",
        discussion: """
            Without options, a file is compared with the digest that was verified when Pawl \
            downloaded it. With --sums or --metalink and no file, Pawl compares every file in the \
            list, looking for each in the list's folder.

            --repair fetches again only the damaged pieces if a Metalink or the digests stored \
            with the file identify them, otherwise the whole file. A file keeps its name until the \
            repaired one is complete and verified. The options for the transfer, the request and \
            the connection apply to this download, and so do those of the config file.

            The exit status is 0 if every file matches its checksum. Otherwise, it is the status \
            of the first file that fails.
            """
    )

    @Argument(help: ArgumentHelp("The files to compare.", valueName: "file"))
    var files: [String] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Compare one file with this checksum: \(DigestAlgorithm.names).",
            valueName: "algorithm=hex"
        )
    )
    var checksum: String?

    @Option(
        name: [.customShort("c", allowingJoined: true), .long],
        parsing: .unconditional,
        help: ArgumentHelp(
            "Compare with the checksums in this list, such as SHA256SUMS; - is standard input.",
            valueName: "file|-"
        )
    )
    var sums: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Compare with the sizes, checksums and pieces in this Metalink; - is standard input.",
            valueName: "file|-"
        )
    )
    var metalink: String?

    @Flag(
        help: ArgumentHelp(
            "Repair damaged files from the URLs of the Metalink, from --url, or from the URLs that "
                + "are stored with each file whose checksum was verified."
        )
    )
    var repair = false

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Repair a single file from this URL. May be given several times.",
            valueName: "url"
        )
    )
    var url: [String] = []

    @Flag(help: "Print JSON.")
    var json = false

    @Flag(name: .shortAndLong, help: "Print only files that fail.")
    var quiet = false

    @OptionGroup(title: "Transfer") var transfer: TransferOptions
    @OptionGroup(title: "Request") var request: RequestOptions
    @OptionGroup(title: "Connection") var connection: ConnectionOptions
    @OptionGroup(title: "Config file") var configChoice: ConfigOptions

    func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
        var seen: Set<String> = []
        var files = try verifiedFiles(console).filter { seen.insert($0.path).inserted }
        guard url.isEmpty || repair && files.count == 1 else {
            throw .usage(
                "--url can only be used to repair one file",
                advice: "add --repair and name one file, or use a Metalink"
            )
        }
        for text in url {
            _ = try SourceURL.read(text, at: "--url")
            files[0].sources.append(text)
        }
        let run = VerifyRun(
            files: files,
            console: console,
            json: json,
            isQuiet: quiet,
            repair: try repairRun(console)
        )
        return { await run.run() }
    }

    /// The repair of damaged files; `nil` if it was not requested.
    private func repairRun(_ console: Console) throws(DownloadError) -> RepairRun? {
        let options = transfer.assignments + request.assignments + connection.assignments
        guard repair else {
            if let option = options.first ?? configChoice.assignments.first {
                throw .usage(
                    "\(option.location) can only be used with --repair",
                    advice: "add --repair, or leave it out"
                )
            }
            return nil
        }
        let config = try configChoice.read()
        var configuration = SessionConfiguration.default
        if let limits = try? LimitOptions.parse([]) {
            configuration = try limits.configuration(config)
        }
        return try RepairRun(options, config, configuration, console)
    }

    private func verifiedFiles(_ console: Console) throws(DownloadError) -> [VerifiedFile] {
        guard [checksum, sums, metalink].count(where: { $0 != nil }) < 2 else {
            throw .usage(
                "--checksum, --sums and --metalink cannot be combined",
                advice: "use one of them"
            )
        }
        if let object = files.first(where: ObjectAddress.isOne) {
            throw .usage(
                "\(AddressParts(object).redacted) is an object, and no file",
                advice: "to verify an object, download it with --checksum"
            )
        }
        if let metalink { return try Self.described(files, by: metalink) }
        if let checksum {
            guard files.count == 1 else {
                throw .usage(
                    "--checksum needs one file, not \(files.count)",
                    advice: "for several files, use a list with --sums"
                )
            }
            let policy = try usage("--checksum") { () throws(ValueError) in
                try ChecksumText.parse(checksum)
            }
            guard case .digest(let digest) = policy else {
                throw .usage("--checksum: there is no checksum", advice: "write algorithm=hex")
            }
            return [VerifiedFile(path: files[0], expected: digest)]
        }
        guard let sums else {
            guard !files.isEmpty else {
                throw .usage("no file is given", advice: "see 'pawl verify --help'")
            }
            return files.map { VerifiedFile(path: $0) }
        }
        return try Self.listed(files, in: sums, console)
    }

    private static func described(
        _ paths: [String],
        by list: String
    ) throws(DownloadError) -> [VerifiedFile] {
        let bytes = try InputFile.bytes(of: list, location: "--metalink", form: "a Metalink")
        let metalink = try Metalink(bytes, name: list.sanitized, failure: .usage)
        guard !paths.isEmpty else {
            let folder = list == "-" ? "" : list.pathFolder
            return metalink.files.map { VerifiedFile($0, path: folder + $0.name) }
        }
        return try paths.map { (path) throws(DownloadError) in
            guard let file = metalink.file(named: path) else {
                throw .usage(
                    "\(list.sanitized) does not describe \(path.sanitized)",
                    advice: "check the name, or use another Metalink"
                )
            }
            return VerifiedFile(file, path: path)
        }
    }

    private static func listed(
        _ paths: [String],
        in sums: String,
        _ console: Console
    ) throws(DownloadError) -> [VerifiedFile] {
        let text = try InputFile.text(of: sums, location: "--sums", form: "a list of checksums")
        let list = ChecksumList(text, name: sums)
        guard !list.entries.isEmpty else {
            throw .usage(
                "\(sums.sanitized) contains no checksum",
                advice: "use a list as sha256sum writes it"
            )
        }
        if let line = list.damagedLines.first {
            throw .usage(
                "line \(line) of \(sums.sanitized) is not a valid checksum",
                advice: "correct the line, or remove it"
            )
        }
        if let line = list.ignoredLines.first {
            let others = list.ignoredLines.count - 1
            let more = others == 0 ? "" : ", and \(others) more,"
            console.message(
                "line \(line) of \(sums.sanitized)\(more) is not a checksum and is skipped"
            )
        }
        if let name = list.contradiction {
            throw .usage(
                "\(sums.sanitized) has two different checksums of \(name.sanitized(atMost: 200))",
                advice: "find out which one is correct, and remove the other"
            )
        }
        guard paths.isEmpty else {
            return try paths.map { (path) throws(DownloadError) in
                guard let digest = list.digest(of: path) else {
                    throw .usage(
                        "\(sums.sanitized) has no checksum of \(path.sanitized)",
                        advice: "check the name, or use another list"
                    )
                }
                return VerifiedFile(path: path, expected: digest)
            }
        }
        let folder = sums == "-" ? "" : sums.pathFolder
        return try list.entries.map { (entry) throws(DownloadError) in
            guard let name = entry.name else {
                throw .usage(
                    "\(sums.sanitized) contains no file name",
                    advice: "also name the file on the command line"
                )
            }
            let path = name.isAbsolutePath || folder.isEmpty ? name : folder.asFolderPath + name
            return VerifiedFile(path: path, expected: entry.digest)
        }
    }
}

extension VerifiedFile {
    fileprivate init(_ file: Metalink.File, path: String) {
        self.init(path: path, expected: file.digest, pieces: file.pieces, size: file.size)
        sources = file.sources(preferring: []).map(\.url).filter {
            (try? SourceURL.parse($0)) != nil
        }
    }
}
