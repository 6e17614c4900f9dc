/// The same job for several programs.
struct Contest {
    var entrants: [Entrant]
    /// The files that must exist after each run; other files are ignored.
    var expected: [ExpectedFile]
    /// The time after which a run is ended and the program is disqualified.
    var limitSeconds = 120.0
    /// The maximum number of rounds; long runs vary less and need fewer.
    var mostRounds = Int.max
    /// A program that took more than this many times the shortest time is not run again.
    var hopelessRatio = Double.infinity
    /// Whether the files of each run remain until the end of the benchmark.
    var keepsFiles = false
    /// The network namespace of the programs.
    var network: String?
    /// Called before each run, outside the measured time.
    var prepare: () throws -> Void = {}
    /// Called after each successful run.
    ///
    /// Returns a note for the report.
    var observe: (Entrant, Measurement) -> String? = { _, _ in nil }
}

/// One program with its arguments.
struct Entrant {
    private(set) var label: String
    let kind: Row.Kind
    var invocation: Invocation
    /// Whether the program fetches nothing, so that only its exit status counts.
    var makesNoFile = false
    /// Whether the last line of its output contains figures.
    var tellsFigures = false
    /// Whether it runs once before the first round without being measured, and keeps what it has
    /// learned.
    var remembers = false

    /// Returns `nil` if the tool cannot do the job.
    init?(_ tool: any Tool, _ job: Job, label: String? = nil) {
        guard let invocation = tool.invocation(for: job) else { return nil }
        self.label = label ?? tool.label(job)
        kind = tool.name == Toolbox.pawlName ? .pawl : .peer
        self.invocation = invocation
    }

    /// Returns the program with a caches folder that is kept between its runs.
    func remembering(in folder: String, label: String) -> Entrant {
        var copy = self
        copy.label = label
        copy.invocation.environment.append("XDG_CACHE_HOME=" + folder)
        copy.remembers = true
        return copy
    }

    init(label: String, words: [String], kind: Row.Kind) {
        self.label = label
        self.kind = kind
        invocation = Invocation(words: words)
        makesNoFile = true
    }
}

/// A file that a run must create: its name in the downloads, and the path of the original.
struct ExpectedFile {
    let name: String
    let original: String
}
