internal import ArgumentParser
internal import Pawl
internal import PawlCore
internal import PawlWire

/// `pawl import`: adds the downloads that `pawl export` has written.
struct ImportCommand: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Add the downloads that 'pawl export' has written as JSON.",
        discussion: """
            A download whose partial file still exists continues. If one download cannot be added, \
            none is. With the daemon of another machine, that applies to each MiB of the file.
            """
    )

    @Argument(help: ArgumentHelp("The file; - is standard input.", valueName: "file"))
    var file: String

    @Flag(help: "Add the downloads as paused.")
    var paused = false

    @Flag(help: "Print JSON.")
    var json = false

    func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
        let (downloads, json) = (try downloads(), json)
        return try daemonWork(console) { (client) async throws(DownloadError) in
            guard !downloads.isEmpty else { return 0 }
            return try await console.submit(downloads, to: client, json: json)
        }
    }

    private func downloads() throws(DownloadError) -> [NewDownload] {
        let form = "a file that 'pawl export' has written"
        let bytes = try InputFile.bytes(of: file, location: "pawl import", form: form)
        var read: NewDownloads
        do {
            read = try WireJSON.decode(NewDownloads.self, from: bytes)
        } catch {
            throw .usage(
                "'\(file.sanitized)' is not the JSON of 'pawl export'",
                advice: "for a list of URLs, use 'pawl add --input-file'"
            )
        }
        if paused { for index in read.downloads.indices { read.downloads[index].isPaused = true } }
        return read.downloads
    }
}
