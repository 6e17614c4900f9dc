internal import ArgumentParser
internal import PawlCore

/// How a run reports its progress.
struct ProgressOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "How to show progress. Default: auto, which selects bar on a terminal and plain "
                + "otherwise. json prints one object per line to standard output.",
            valueName: "auto|bar|plain|json|none"
        )
    )
    var progress: String?

    @Flag(name: .shortAndLong, help: "Print no messages except errors.")
    var quiet = false

    @Flag(name: .shortAndLong, help: "Print more details.")
    var verbose = false

    /// The requested display, here or in the config file; `nil` if none is requested.
    func mode(_ config: UserConfig) throws(DownloadError) -> ProgressMode? {
        guard !quiet || progress != nil,
            let progress = config.option(UserConfig.progress, unless: progress)
        else { return nil }
        guard let mode = ProgressMode(rawValue: progress.value.lowercased()) else {
            let shown = progress.value.sanitized(atMost: 40)
            throw .usage(
                "\(progress.location): invalid display '\(shown)'",
                advice: "use auto, bar, plain, json or none"
            )
        }
        return mode
    }

    func verbosity() throws(DownloadError) -> Verbosity {
        guard quiet else { return verbose ? .verbose : .normal }
        guard !verbose else {
            throw .usage("--quiet and --verbose cannot be combined", advice: "use one of them")
        }
        return .quiet
    }
}

enum ProgressMode: String {
    case auto, bar, plain, json, none
}

enum Verbosity {
    case quiet, normal, verbose
}
