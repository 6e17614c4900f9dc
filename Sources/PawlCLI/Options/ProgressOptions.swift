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

    /// The requested display; `nil` if none is requested.
    func mode() throws(DownloadError) -> ProgressMode? {
        guard let progress else { return nil }
        guard let mode = ProgressMode(rawValue: progress.lowercased()) else {
            throw .usage(
                "invalid display '\(progress.sanitized(atMost: 40))' for --progress",
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
