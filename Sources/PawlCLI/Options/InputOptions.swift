internal import ArgumentParser

/// What to fetch, apart from the URLs on the command line.
struct InputOptions: ParsableArguments {
    @Option(
        name: [.customShort("i", allowingJoined: true), .long],
        parsing: .unconditional,
        help: ArgumentHelp(
            "Fetch the URLs in this list too, one a line; - is standard input.",
            valueName: "file|-"
        )
    )
    var inputFile: String?

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Fetch the file from this URL too, where it is proven to be the same. May be given "
                + "several times.",
            valueName: "url"
        )
    )
    var mirror: [String] = []

    var assignments: [OptionAssignment] { mirror.map { OptionAssignment(.mirror, $0) } }
}
