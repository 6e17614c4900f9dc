import FoundationEssentials
import Glibc
import PawlCore
import PawlTesting
import PawlWire
import Testing

/// A daemon for a test, with its socket and store in a folder of its own beside the workshop's, so
/// that no real one is changed.
final class DaemonScene: Sendable {
    let workshop: Workshop
    /// Of the socket and the store.
    let home: ScratchFolder
    /// Where the queue is, as `PAWL_STORE` names it.
    let store: String?

    init(_ workshop: Workshop, store: String? = nil) throws {
        self.workshop = workshop
        self.store = store ?? TestStore.next()
        home = try ScratchFolder()
        try home.makeFolder("run")
    }

    /// A daemon that started by itself must not outlive the test.
    deinit {
        for folder in ["run/pawl", "state/pawl"] {
            let text = (try? home.readText("\(folder)/daemon.lock")) ?? ""
            guard let id = pid_t(text.prefix { $0.isNumber }), id > 1, Self.isDaemon(id) else {
                continue
            }
            kill(id, SIGKILL)
        }
    }

    private static func isDaemon(_ id: pid_t) -> Bool {
        var path = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/\(id)/exe", &path, path.count)
        let bytes = path.prefix(max(0, count)).map { UInt8(bitPattern: $0) }
        return String(decoding: bytes, as: UTF8.self).hasSuffix("/pawld")
    }

    var settings: ProcessSettings {
        ProcessSettings(
            environment: [
                "XDG_RUNTIME_DIR": home.path("run"), "XDG_STATE_HOME": home.path("state"),
                "HOME": home.path, "PAWL_STORE": store,
            ]
        )
    }

    /// Starts a daemon in the foreground; returns when it is ready.
    func startDaemon(_ options: String...) async throws -> ProcessRunner {
        let runner = try workshop.start(arguments: ["daemon", "run"] + options, settings)
        let isReady = await runner.waitForOutput(containing: "listens at")
        #expect(isReady, "\(runner.errors)")
        return runner
    }

    /// Starts a daemon in the foreground whose system calls fail as planned.
    func startDaemon(_ plan: FaultPlan) async throws -> ProcessRunner {
        var settings = settings
        let faults = plan.environment(library: try await FaultShim.library())
        settings.environment.merge(faults) { _, fault in fault }
        return try workshop.start(arguments: ["daemon", "run"], settings)
    }

    /// Serves a resource whose responses pause after 10 MiB until the latch is released: after the
    /// first checkpoint, and before the end of a larger resource.
    @discardableResult
    func serveHeld(_ resource: Resource) -> Latch {
        let latch = Latch()
        workshop.serve(.resource(resource).holdAfterBytes(10 << 20, until: latch))
        return latch
    }

    /// Adds a download that pauses until the latch is released; returns when it has a checkpoint.
    @discardableResult
    func addHeld(_ resource: Resource) async throws -> Latch {
        let latch = serveHeld(resource)
        try await succeed("add", workshop.url, "-x", "1")
        try await FolderWatch.wait(for: Workshop.name + ".part.pawl", in: workshop.folder)
        return latch
    }

    /// A download with a checkpoint, and a daemon that was killed.
    func leaveInTheMiddle(of resource: Resource) async throws {
        let daemon = try await startDaemon()
        try await addHeld(resource)
        // The log file is created before its first line.
        while try await run("inspect", "disk.iso.part").status != .code(0) {
            try Task.checkCancellation()
        }
        daemon.signal(SIGKILL)
        #expect(await daemon.waitForExit() == .signal(SIGKILL))
    }

    func run(_ arguments: String...) async throws -> FinishedProcess {
        try await workshop.run(arguments, settings)
    }

    func start(_ arguments: String...) throws -> ProcessRunner {
        try workshop.start(arguments: arguments, settings)
    }

    /// With other values of the environment.
    func start(_ arguments: [String], _ environment: [String: String]) throws -> ProcessRunner {
        var settings = settings
        for (name, value) in environment { settings.environment[name] = value }
        return try workshop.start(arguments: arguments, settings)
    }

    /// Runs a command that must succeed.
    @discardableResult
    func succeed(
        _ arguments: String...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> FinishedProcess {
        let run = try await workshop.run(arguments, settings)
        #expect(run.status == .code(0), "\(run.errors)", sourceLocation: sourceLocation)
        return run
    }

    /// By id.
    func downloads(_ arguments: String...) async throws -> [WireDownload] {
        let run = try await workshop.run(["list", "--all", "--json"] + arguments, settings)
        #expect(run.status == .code(0), "\(run.errors)")
        return try WireJSON.decode([WireDownload].self, from: run.output.utf8)
            .sorted { $0.id < $1.id }
    }

    /// Waits until the queue has reported `count` such events, of one download or of all, since its
    /// creation.
    func waitForEvents(
        _ kind: WireEvent.Kind,
        count: Int = 1,
        of download: Int64? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let filter = download.map { ["\($0)"] } ?? []
        let reader = try workshop.start(
            arguments: ["events", "--after", "0", "--json"] + filter,
            settings
        )
        let text = "\"kind\":\"\(kind.rawValue)\""
        let isThere = await reader.waitForOutput(containing: text, count: count)
        #expect(isThere, "\(reader.output)\(reader.errors)", sourceLocation: sourceLocation)
    }

    /// All events that are kept.
    func events() async throws -> [WireEvent] {
        let run = try await succeed("events", "--past", "--json")
        return try run.output.split(separator: "\n").map {
            try WireJSON.decode(WireEvent.self, from: $0.utf8)
        }
    }
}

/// Ascending without duplicates, each download with one end at most since it last began.
func expectSound(_ events: [WireEvent], sourceLocation: SourceLocation = #_sourceLocation) {
    let ids = events.map(\.id)
    #expect(zip(ids, ids.dropFirst()).allSatisfy { $0 < $1 }, sourceLocation: sourceLocation)
    for (download, own) in Dictionary(grouping: events, by: \.download) {
        #expect(own.first?.kind == .added, "\(download)", sourceLocation: sourceLocation)
        let ends = own.filter { $0.kind == .finished }.count
        #expect(ends <= 1, "\(download): \(own.map(\.kind))", sourceLocation: sourceLocation)
    }
}
