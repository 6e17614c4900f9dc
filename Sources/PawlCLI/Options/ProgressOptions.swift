internal import ArgumentParser
internal import PawlCore

/// What is said while downloads run.
struct ProgressOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "How to show progress. Default: auto, which is bar on a terminal, plain otherwise. "
                + "json writes one object a line to standard output.",
            valueName: "auto|bar|plain|json|none"
        )
    )
    var progress: String?

    @Flag(name: .shortAndLong, help: "Say nothing but errors.")
    var quiet = false

    @Flag(name: .shortAndLong, help: "Say what is being done.")
    var verbose = false

    /// Nil where none was asked for.
    func mode() throws(DownloadError) -> ProgressMode? {
        guard let progress else { return nil }
        guard let mode = ProgressMode(rawValue: progress.lowercased()) else {
            throw DownloadError(
                .usage,
                "--progress: '\(progress)' is no such display",
                advice: "give auto, bar, plain, json or none"
            )
        }
        return mode
    }

    func verbosity() throws(DownloadError) -> Verbosity {
        guard quiet else { return verbose ? .verbose : .normal }
        guard !verbose else {
            throw DownloadError(
                .usage,
                "--quiet and --verbose exclude each other",
                advice: "give one of them"
            )
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
