internal import ArgumentParser
internal import PawlCore
internal import PawlWire

/// The options of the commands that show a log of the daemon.
struct LogOptions: ParsableArguments {
    @Option(
        name: [.customShort("n", allowingJoined: true), .long],
        parsing: .unconditional,
        help: ArgumentHelp(
            "The number of lines to show, 1 to \(LogLimit.most). Default: \(LogLimit.standard).",
            valueName: "n"
        )
    )
    var lines: String?

    /// Throws `.usage` if the option is invalid.
    func count() throws(DownloadError) -> Int {
        guard let lines else { return LogLimit.standard }
        return try usage("--lines") { () throws(ValueError) in
            try NumberText.count(lines, in: 1...LogLimit.most)
        }
    }
}
