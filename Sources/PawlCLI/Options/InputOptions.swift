internal import ArgumentParser

/// What to fetch, apart from the URLs on the command line.
struct InputOptions: OrderOptions {
    @Option(
        name: [.customShort("i", allowingJoined: true), .long],
        parsing: .unconditional,
        help: ArgumentHelp(
            "Fetch the URLs in this list too, one a line; - is standard input.",
            valueName: "file|-"
        )
    )
    var inputFile: String?

    @Option(setting: "mirror") var mirror: [String] = []
}
