/// The same work for several programs.
struct Contest {
    var entrants: [Entrant]
    /// What must be in the downloads after each run, and nothing else counts.
    var expected: [ExpectedFile]
    /// A run that takes longer is ended and does not count.
    var limitSeconds = 120.0
    /// Fewer than the command line says, where a run is long and little disturbs it.
    var mostRounds = Int.max
    /// The network namespace that the programs run in.
    var network: String?
    /// Called before each run, outside of the time.
    var prepare: () throws -> Void = {}
    /// Called after each good run: something to say about it.
    var observe: (Entrant, Measurement) -> String? = { _, _ in nil }
}

/// One program with one way of calling it.
struct Entrant {
    let label: String
    let kind: Row.Kind
    var invocation: Invocation
    /// Nothing is expected of it but its exit status: it fetches nothing.
    var makesNoFile = false
    /// The last line that it prints has figures of its own.
    var tellsFigures = false

    /// Nil where the tool cannot do the job.
    init?(_ tool: any Tool, _ job: Job, label: String? = nil) {
        guard let invocation = tool.invocation(for: job) else { return nil }
        self.label = label ?? tool.label(job)
        kind = tool.name == Toolbox.pawlName ? .pawl : .peer
        self.invocation = invocation
    }

    init(label: String, words: [String], kind: Row.Kind) {
        self.label = label
        self.kind = kind
        invocation = Invocation(words: words)
        makesNoFile = true
    }
}

/// A file that a run must leave: its name in the downloads, and the path of what it is a copy of.
struct ExpectedFile {
    let name: String
    let original: String
}
