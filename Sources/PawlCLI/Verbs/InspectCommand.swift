internal import ArgumentParser
internal import Pawl
internal import PawlCore
internal import struct FoundationEssentials.URL

/// `pawl inspect`: shows what a server says of a file, or what a checkpoint holds.
struct InspectCommand: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Show what a server says of a file, or what a checkpoint holds.",
        usage: "pawl inspect [options] <url | file.part>"
    )

    @Argument(
        help: ArgumentHelp("A URL, or the partial file of a download.", valueName: "url|file.part")
    )
    var target: String

    @Flag(help: "Write a JSON object.")
    var json = false

    @Flag(name: .shortAndLong, help: "Say what is being done.")
    var verbose = false

    @OptionGroup(title: "What is sent") var request: RequestOptions

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
        var book = try OrderBook(urls: [target], list: nil, options: request.assignments)
        if let name = book.nameWithoutPassword {
            book.fill(password: try PasswordPrompt.ask(for: name, console: console))
        }
        guard let order = book.orders.first else { return { 0 } }
        let json = json
        let logger = console.logger(verbose ? .verbose : .normal)
        return {
            let downloader = Downloader(logger: logger)
            defer { downloader.shutDown() }
            do {
                let source = try await downloader.inspect(order.url, settings: order.settings)
                show(InspectionReport(source), json: json, console)
                return 0
            } catch {
                return fail(error, console)
            }
        }
    }

    /// The partial file that the argument names; nil where it is a URL.
    private func partialFile() throws(DownloadError) -> String? {
        guard !target.contains("://") else { return nil }
        let checkpointSuffix = ".part.pawl"
        let path =
            target.hasSuffix(checkpointSuffix)
            ? String(target.dropLast(".pawl".count)) : target
        guard path.hasSuffix(".part") else {
            throw DownloadError(
                .usage,
                "'\(target)' is neither a URL nor a partial file",
                advice: "give a URL such as https://host/file, or the NAME.part of a download"
            )
        }
        return path
    }
}

private func show(_ report: InspectionReport, json: Bool, _ console: Console) {
    console.output(json ? report.json + "\n" : report.text)
}

private func fail(_ error: any Error, _ console: Console) -> Int32 {
    let known =
        error as? DownloadError
        ?? (error is CancellationError
            ? DownloadError(.interrupted, "interrupted") : DownloadError(.unknown, "\(error)"))
    console.report(known)
    return known.code.exitStatus
}
