internal import ArgumentParser
internal import PawlCore

/// The options of the commands that show a log of the daemon.
struct LogOptions: ParsableArguments {
    @Option(
        name: [.customShort("n", allowingJoined: true), .long],
        parsing: .unconditional,
        help: ArgumentHelp(
            "The number of lines to show, 1 to 100000. Default: 100.",
            valueName: "n"
        )
    )
    var lines: String?

    /// Throws `.usage` if the option is invalid.
    func count() throws(DownloadError) -> Int {
        guard let lines else { return 100 }
        return try usage("--lines") { () throws(ValueError) in
            try NumberText.count(lines, in: 1...100_000)
        }
    }
}
