internal import ArgumentParser

/// Sources of downloads besides the URLs on the command line.
struct InputOptions: DownloadOptionGroup {
    @Option(
        name: [.customShort("i", allowingJoined: true), .long],
        parsing: .unconditional,
        help: ArgumentHelp(
            "Also download the URLs in this list, one per line; - is standard input. Lists in the "
                + "formats of aria2, JSON and CSV are read, too.",
            valueName: "file|url|-"
        )
    )
    var inputFile: String?

    @Option(setting: "mirror") var mirror: [String] = []
}
