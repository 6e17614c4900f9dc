internal import ArgumentParser
internal import Pawl
internal import PawlCore

/// `pawl mirror`: keeps the files of a folder equal to those of a tree on a server.
struct MirrorCommand: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: "mirror",
        abstract: "Keep a local copy of a server's folder.",
        usage: """
            pawl mirror [<options>] <url> <folder>
            pawl mirror [<options>] --input-file <list> <folder>
            """,
        discussion: """
            The URL names a page with links (such as a web server's index), a folder over FTP or \
            SFTP, or a folder of a bucket (s3://bucket/folder/). Pawl downloads every file below \
            it that is new or has changed. Links to other places are not followed, and files are \
            stored as they are.

            Run the same command again to continue after an interruption, or to update the copy. \
            Pawl stores what it knows about the files in the file .pawl-mirror in the folder. If \
            the size and time of a file in the server's list are the same as in the last run, Pawl \
            usually sends no request for the file. Otherwise, it first asks whether the file has \
            changed.

            Files get the server's modification times. Files that are no longer on the server are \
            kept unless --delete is given.
            """
    )

    @Argument(help: ArgumentHelp("The URL, and the local folder.", valueName: "url> <folder"))
    var locations: [String] = []

    @OptionGroup(title: "Mirror") var mirror: MirrorOptions
    @OptionGroup(title: "Input") var input: ListOptions
    @OptionGroup(title: "Transfer") var transfer: TransferOptions
    @OptionGroup(title: "Limits of this run") var limits: LimitOptions
    @OptionGroup(title: "Request") var request: RequestOptions
    @OptionGroup(title: "Connection") var connection: ConnectionOptions
    @OptionGroup(title: "Messages") var progress: ProgressOptions
    @OptionGroup(title: "Config file") var configChoice: ConfigOptions

    func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
        let folder = try folder()
        let config = try configChoice.read()
        let choices = try mirror.choices()
        let configuration = try limits.configuration(config)
        let mode = try progress.mode(config)
        let verbosity = try progress.verbosity()
        var options =
            transfer.assignments + request.assignments + connection.assignments
        if mirror.xattr { options.append(OptionAssignment("xattr", "true")) }
        let request = MirrorRequest(options: options, config: config, console: console)
        let run: @Sendable (MirrorSource, [ConnectionCount]) -> VerbWork = { source, connections in
            let run = MirrorRun(
                source: source,
                folder: folder,
                choices: choices,
                configuration: configuration.allowing(connections),
                console: console,
                display: console.display(mode, isQuiet: verbosity == .quiet),
                logger: console.logger(verbosity),
                isQuiet: verbosity == .quiet,
                isJSON: mode == .json
            )
            return { await run.run() }
        }
        let choice = try input.choice(Array(locations.dropLast()))
        guard let name = choice.lists.first else {
            let source = try request.source(locations[0])
            return run(source, [source.settings(ListedFile(address: "", path: "")).connections])
        }
        return try RemoteList.read(choice, options, config, console) {
            (list) throws(DownloadError) in
            let list = list ?? InputList(entries: [])
            let source = try request.source(of: list, name: name)
            guard case .list(_, let files) = source else { return run(source, []) }
            return run(source, files.map(\.download.settings.connections))
        }
    }

    /// Checks the number of arguments, and returns the folder.
    private func folder() throws(DownloadError) -> String {
        let count = input.inputFile == nil ? 2 : 1
        guard locations.count == count, let folder = locations.last, !folder.isEmpty else {
            let expected = count == 1 ? "a folder" : "a URL and a folder"
            throw .usage(
                "\(expected) must be given, not \(locations.count) arguments",
                advice: "see 'pawl mirror --help'"
            )
        }
        guard URLScheme(of: AddressParts(folder).scheme) == nil else {
            throw .usage(
                "the last argument must be a folder, not a URL",
                advice: "write 'pawl mirror URL FOLDER'"
            )
        }
        return folder
    }
}
