internal import ArgumentParser

/// Sources of downloads besides the URLs on the command line.
struct InputOptions: DownloadOptionGroup {
    @Option(
        name: [.customShort("i", allowingJoined: true), .long],
        parsing: .unconditional,
        help: ArgumentHelp(
            "Also download the URLs in this list, one per line; - is standard input.",
            valueName: "file|-"
        )
    )
    var inputFile: String?

    @Option(setting: "mirror") var mirror: [String] = []
}
