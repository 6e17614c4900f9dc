internal import ArgumentParser
internal import PawlCore

/// `pawl verify`: compares files with their checksums.
struct VerifyCommand: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Compare files with their checksums.",
        usage: "pawl verify [<options>] [<file> ...]",
        discussion: """
            Without options, a file is compared with the digest that was verified when Pawl \
            downloaded it. With --sums and no file, Pawl compares every file in the list, and looks \
            for them in the list's folder.

            The exit status is 0 if every file matches its checksum. Otherwise, it is the status of the \
            first file that fails.
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

    @Flag(help: "Print JSON.")
    var json = false

    @Flag(name: .shortAndLong, help: "Print only files that fail.")
    var quiet = false

    func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
        let files = try Self.files(files, checksum: checksum, sums: sums)
        let run = VerifyRun(files: files, console: console, json: json, isQuiet: quiet)
        return { await run.run() }
    }

    private static func files(
        _ paths: [String],
        checksum: String?,
        sums: String?
    ) throws(DownloadError) -> [VerifiedFile] {
        guard checksum == nil || sums == nil else {
            throw .usage("--checksum and --sums cannot be combined", advice: "use one of them")
        }
        if let checksum {
            guard paths.count == 1 else {
                throw .usage(
                    "--checksum needs one file, not \(paths.count)",
                    advice: "for several files, use a list with --sums"
                )
            }
            let policy = try usage("--checksum") { () throws(ValueError) in
                try ChecksumText.parse(checksum)
            }
            guard case .digest(let digest) = policy else {
                throw .usage("--checksum: there is no checksum", advice: "write algorithm=hex")
            }
            return [VerifiedFile(path: paths[0], expected: digest)]
        }
        guard let sums else {
            guard !paths.isEmpty else {
                throw .usage("no file is given", advice: "see 'pawl verify --help'")
            }
            return paths.map { VerifiedFile(path: $0, expected: nil) }
        }
        return try listed(paths, in: sums)
    }

    private static func listed(
        _ paths: [String],
        in sums: String
    ) throws(DownloadError) -> [VerifiedFile] {
        let text = try InputFile.text(of: sums, location: "--sums", form: "a list of checksums")
        let list = ChecksumList(text, name: sums)
        guard !list.entries.isEmpty else {
            throw .usage(
                "\(sums.sanitized) contains no checksum",
                advice: "use a list as sha256sum writes it"
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
                throw .usage("\(sums.sanitized) names no file", advice: "name the file, too")
            }
            let path = name.isAbsolutePath || folder.isEmpty ? name : folder.asFolderPath + name
            return VerifiedFile(path: path, expected: entry.digest)
        }
    }
}
