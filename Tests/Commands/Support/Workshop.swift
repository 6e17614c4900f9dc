import Glibc
import PawlCore
import PawlTesting
import Testing

/// The built program in a folder of its own, and an origin to fetch from.
struct Workshop: Sendable {
    /// The folder in which the program runs.
    let folder: ScratchFolder
    let origin: ScriptedOrigin

    /// In memory a sync costs nothing: for runs by the hundred.
    init(tls: Bool = false, inMemory: Bool = false) throws {
        folder = try inMemory ? .inMemory() : ScratchFolder()
        origin = try ScriptedOrigin(tls: tls)
    }

    /// A workshop that serves a resource as a good server does.
    init(_ resource: Resource, at path: String = Self.path, tls: Bool = false) throws {
        try self.init(tls: tls)
        origin.route(path, .resource(resource))
    }

    static let path = "/disk.iso"
    /// The name that the file of `path` gets.
    static let name = "disk.iso"

    /// The value of `--limit` with which no file of 16 MB or more is complete within the time limit
    /// of a suite: however late a signal is, it interrupts the download.
    static let crawl = "50K"

    /// A number of bytes of which not all are requested a second time to prove that the file is the
    /// same.
    static let resumable = 2 * Seam.leadBytes

    var url: String { origin.url(Self.path) }

    /// Serves one reply.
    func serve(_ reply: Reply, at path: String = Self.path) { origin.route(path, reply) }

    /// Runs `pawl` to its end.
    func run(_ arguments: String..., settings: ProcessSettings = ProcessSettings()) async throws
        -> FinishedProcess
    {
        try await run(arguments, settings)
    }

    func run(_ arguments: [String], _ settings: ProcessSettings = ProcessSettings()) async throws
        -> FinishedProcess
    {
        let run = try await ProcessRunner.run(Self.program, arguments, complete(settings))
        for secret in Self.secrets {
            #expect(!run.everything.contains(secret), "\(arguments)")
        }
        return run
    }

    /// The passwords and tokens that tests use, which no run may print.
    private static let secrets = ["hunter2", "s3cret", "wr0ng"]

    /// Starts `pawl`.
    func start(_ arguments: String..., settings: ProcessSettings = ProcessSettings()) throws
        -> ProcessRunner
    {
        try start(arguments: arguments, settings)
    }

    func start(arguments: [String], _ settings: ProcessSettings = ProcessSettings()) throws
        -> ProcessRunner
    {
        try ProcessRunner(Self.program, arguments, complete(settings))
    }

    /// Starts a download that reaches a checkpoint of at least 8 MiB, so that its partial file has
    /// a name, but not its end: the resource must have more than 10 MiB.
    func begin(
        _ resource: Resource,
        _ arguments: [String],
        _ settings: ProcessSettings = ProcessSettings(),
        serving change: (Reply) -> Reply = { $0 }
    ) async throws -> ProcessRunner {
        serve(change(.resource(resource)).holdAfterBytes(10 << 20, until: Latch()))
        let runner = try start(arguments: arguments + ["-x", "1"], settings)
        // On a slow machine the first checkpoint has fewer bytes; the next ones have those
        // received.
        try await wait(for: 8 << 20, of: Self.name, by: runner)
        return runner
    }

    /// Waits until the checkpoint of a partial file claims this many bytes, which the next run keeps.
    ///
    /// The partial file has a name before it has bytes. Returns also when the process has ended.
    func wait(for count: Int64 = 1, of name: String, by runner: ProcessRunner) async throws {
        try await FolderWatch.wait(for: name + ".part", in: folder)
        var claimed: Int64 = 0
        while claimed < count, runner.status == nil {
            try Task.checkCancellation()
            claimed = try await Inspection.found(name + ".part", in: self)?.claimed.count ?? 0
        }
    }

    static let program = BuiltProduct.path("pawl")

    /// The run's own folder, without the environment variables that change the output.
    func complete(_ settings: ProcessSettings) -> ProcessSettings {
        var settings = settings
        settings.folder = settings.folder ?? folder.path
        settings.environment = Self.plainEnvironment.merging(settings.environment) { _, own in own }
        return settings
    }

    /// The environment variables that change the output or the route of requests.
    static let plainEnvironment: [String: String?] = [
        "LC_ALL": "C.UTF-8", "TERM": "xterm-256color", "NO_COLOR": nil, "http_proxy": nil,
        "https_proxy": nil, "all_proxy": nil, "HTTP_PROXY": nil, "HTTPS_PROXY": nil,
        "ALL_PROXY": nil, "PAWL_FAULT": nil, "PAWL_CONFIG": "none", "PAWL_STORE": nil,
        "PAWL_TEST_STORE": nil,
        "TZ": nil,
        "XDG_CONFIG_HOME": nil,
        "XDG_CACHE_HOME": nil, "XDG_DATA_HOME": nil, "XDG_STATE_HOME": nil,
        "NOTIFY_SOCKET": nil, "LISTEN_PID": nil, "LISTEN_FDS": nil,
    ]
}

extension FinishedProcess {
    /// The lines on standard error.
    var errorLines: [String] {
        errors.split(separator: "\n").map(String.init)
    }

    /// All that it wrote, of both streams.
    var everything: String { output + errors }
}

/// The run ended well and left exactly that file, and no other.
func expectOnly(
    _ name: String,
    _ resource: Resource,
    in workshop: Workshop,
    _ run: FinishedProcess,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    #expect(run.status == .code(0), "\(run.errors)", sourceLocation: sourceLocation)
    #expect(workshop.folder.list() == [name], sourceLocation: sourceLocation)
    try expectExact(name, resource, in: workshop, sourceLocation: sourceLocation)
}

/// The file is byte for byte the resource.
func expectExact(
    _ name: String,
    _ resource: Resource,
    in workshop: Workshop,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let path = workshop.folder.path(name)
    #expect(try resource.verify(fileAt: path) == nil, sourceLocation: sourceLocation)
}

/// The program failed with this code and printed the reason and advice in one or two lines.
func expectFailure(
    _ code: ErrorCode,
    _ run: FinishedProcess,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    expectError(code, run, sourceLocation: sourceLocation)
    let own = run.errorLines.filter { $0.hasPrefix("pawl: ") && !$0.hasPrefix("pawl: note: ") }
    #expect((1...2).contains(own.count), "\(run.errors)", sourceLocation: sourceLocation)
    #expect(run.output.isEmpty, sourceLocation: sourceLocation)
}

/// The program failed with this code, whatever it has printed of other files.
func expectError(
    _ code: ErrorCode,
    _ run: FinishedProcess,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(
        run.status == .code(code.exitStatus),
        "\(run.errors)",
        sourceLocation: sourceLocation
    )
    #expect(run.errors.contains("pawl: "), "\(run.errors)", sourceLocation: sourceLocation)
}

extension ScratchFolder {
    /// Puts a file of the user's own, with the text `mine`, in the place of another.
    func replaceWithOwn(_ name: String) {
        unlink(path(name))
        // A failure shows in the content that the test reads then.
        _ = try? write(name, "mine")
    }
}
