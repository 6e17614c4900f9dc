internal import ArgumentParser
internal import Pawl
internal import PawlCore
internal import struct FoundationEssentials.URL

/// `pawl inspect`: shows what a server reports about a file, or what a checkpoint contains.
struct InspectCommand: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Show what a server reports about a file, or what a partial file contains.",
        usage: "pawl inspect [<options>] <url | file.part>"
    )

    @Argument(
        help: ArgumentHelp(
            "A URL, or the partial file of an unfinished download.",
            valueName: "url|file.part"
        )
    )
    var target: String

    @Flag(help: "Print a JSON object.")
    var json = false

    @Flag(name: .shortAndLong, help: "Print more details.")
    var verbose = false

    @OptionGroup(title: "Request") var request: RequestOptions
    @OptionGroup(title: "Request") var content: ContentOptions
    @OptionGroup(title: "Connection") var connection: ConnectionOptions
    @OptionGroup(title: "Config file") var configChoice: ConfigOptions

    func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
        guard let path = try partialFile() else { return try prepareSource(console) }
        let json = json
        return {
            do {
                let checkpoint = try CheckpointDescription(partialFile: path)
                show(InspectionReport(checkpoint), json: json, console)
                return 0
            } catch {
                return fail(error, console)
            }
        }
    }

    private func prepareSource(_ console: Console) throws(DownloadError) -> VerbWork {
        let batch = try DownloadBatch.asked(
            urls: [target],
            list: nil,
            options: request.assignments + content.assignments + connection.assignments,
            config: try configChoice.read(),
            console,
            prints: false
        )
        guard let download = batch.downloads.first else { return { 0 } }
        guard download.settings.asksForFile else {
            throw .usage(
                "pawl inspect sends only plain requests",
                advice: "remove --method and --data"
            )
        }
        return try SSHPrompt.settle([download], console) { (downloads) in
            inspection(of: downloads.first ?? download, console)
        }
    }

    private func inspection(of download: RequestedDownload, _ console: Console) -> VerbWork {
        let json = json
        let logger = console.logger(verbose ? .verbose : .normal)
        return {
            let session = DownloadSession(logger: logger)
            do {
                let source = try await session.inspect(download.url) { $0 = download.settings }
                show(InspectionReport(source), json: json, console)
                return 0
            } catch {
                return fail(error, console)
            }
        }
    }

    /// The partial file that the argument names; `nil` if it is a URL.
    private func partialFile() throws(DownloadError) -> String? {
        guard !target.contains("://") else { return nil }
        let checkpointSuffix = ".part.pawl"
        let path =
            target.hasSuffix(checkpointSuffix)
            ? String(target.dropLast(".pawl".count)) : target
        guard path.hasSuffix(".part") else {
            throw .usage(
                "'\(target)' is neither a URL nor a partial file",
                advice: "use a URL such as https://host/file, or the NAME.part of a download"
            )
        }
        return path
    }
}

private func show(_ report: InspectionReport, json: Bool, _ console: Console) {
    console.output(json ? report.json + "\n" : report.text)
}

private func fail(_ error: any Error, _ console: Console) -> Int32 {
    let known = DownloadError(error)
    console.report(known)
    return known.code.exitStatus
}
