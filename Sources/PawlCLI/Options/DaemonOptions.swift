package import ArgumentParser
package import PawlCore

/// How a daemon runs.
package struct DaemonOptions: ParsableArguments {
    @Option(
        name: [.customShort("j", allowingJoined: true), .long],
        parsing: .unconditional,
        help: ArgumentHelp("Downloads at a time, 1 to 1000. Default: 5.", valueName: "n")
    )
    package var jobs: String?

    @Flag(name: .shortAndLong, help: "Say what is being done.")
    package var verbose = false

    package init() {}

    /// How many downloads run at a time; nil where it was not said.
    package func limit() throws(DownloadError) -> Int? {
        guard let jobs else { return nil }
        return try usage("--jobs") { () throws(ValueError) in
            try NumberText.count(jobs, in: 1...1000)
        }
    }

    /// The options as arguments again.
    var words: [String] {
        (jobs.map { ["--jobs", $0] } ?? []) + (verbose ? ["--verbose"] : [])
    }
}
