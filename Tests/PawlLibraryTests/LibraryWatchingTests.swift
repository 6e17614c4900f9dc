import FoundationEssentials
import Glibc
import Pawl
import PawlCore
import PawlLibrary
import PawlTesting
import Testing

/// Contract: "the watched folder: deleted, renamed, replaced or added files change the library and
/// its event stream within a second; a burst of 10,000 changes loses none".
@Suite(.timeLimit(.minutes(5)))
struct LibraryWatchingTests {
    private let resource = Resource(size: 100_000)

    @Test func `changes that others make to the files are reported`() async throws {
        let scene = try ShelfScene(.resource(resource))
        let library = try await scene.open()
        let events = library.events
        let folder = scene.folder
        func tell(_ expected: String, _ change: () throws -> Void) async throws {
            try change()
            var others: [String] = []
            let found = await events.first { event -> Bool? in
                if event.sentence == expected { return true }
                others.append(event.sentence)
                return nil
            }
            #expect(found == true, "\(expected): \(others)")
        }
        _ = try await library.file(for: "disk", from: try scene.url())
        try await tell("renamed disk.bin other.bin disk") {
            rename(folder.path("disk.bin"), folder.path("other.bin"))
        }
        #expect(library.finishedFile(for: "disk")?.name == "other.bin")
        let outside = try ScratchFolder()
        try outside.write("new", "another file")
        try await tell("changed other.bin disk") {
            rename(outside.path("new"), folder.path("other.bin"))
        }
        #expect(library.entry(for: "disk")?.state.isChanged == true)
        try await tell("removed other.bin disk") { unlink(folder.path("other.bin")) }
        #expect(library.entry(for: "disk") == nil)
        try await tell("added mine.txt -") { try folder.write("mine.txt", "mine") }
        try await tell("removed mine.txt -") { unlink(folder.path("mine.txt")) }
        // A file that returns keeps its key.
        let file = try await library.file(for: "disk", from: try scene.url())
        try await tell("removed disk.bin disk") { rename(file.path, outside.path("away")) }
        if hasAttributes(outside) {
            try await tell("added back.bin disk") {
                rename(outside.path("away"), folder.path("back.bin"))
            }
            #expect(try await library.file(for: "disk").name == "back.bin")
        }
    }

    @Test func `each kind of change is reported within a second`() async throws {
        let scene = try ShelfScene(.resource(resource))
        let library = try await scene.open()
        let events = library.events
        let (folder, outside) = (scene.folder, try ScratchFolder())
        var least = [Duration](repeating: .seconds(60), count: 4)
        func measure(_ kind: Int, _ expected: String, _ change: () throws -> Void) async throws {
            let clock = ContinuousClock()
            let begin = clock.now
            try change()
            let found = await events.first { $0.sentence == expected ? true : nil }
            #expect(found == true)
            least[kind] = min(least[kind], clock.now - begin)
        }
        // The minimum of three rounds, because a busy machine may stall for longer than that.
        for round in 0..<3 {
            let (old, new) = ("a\(round)", "b\(round)")
            // The file appears whole, in one operation: no later change to it could be seen after
            // its renaming.
            try outside.write("whole", "mine")
            try await measure(0, "added \(old) -") {
                rename(outside.path("whole"), folder.path(old))
            }
            try await measure(1, "renamed \(old) \(new) -") {
                rename(folder.path(old), folder.path(new))
            }
            try outside.write("other", "another file")
            try await measure(2, "changed \(new) -") {
                rename(outside.path("other"), folder.path(new))
            }
            try await measure(3, "removed \(new) -") { unlink(folder.path(new)) }
        }
        #expect(least.allSatisfy { $0 < .seconds(1) }, "\(least)")
    }

    @Test func `a burst of ten thousand changes loses none`() async throws {
        let scene = try ShelfScene(.resource(resource))
        let library = try await scene.open()
        _ = try await library.file(for: "disk", from: try scene.url())
        let events = library.events
        let process = try scene.startProbe(["burst", "10000"])
        var names: Set<String> = ["disk.bin"]
        for await event in events {
            switch event {
            case .fileAdded(let name, _): names.insert(name)
            case .fileRemoved(let name, _): names.remove(name)
            case .fileRenamed(let old, let new, _):
                names.remove(old)
                names.insert(new)
            case .eventsLost: Issue.record("events were lost")
            default: break
            }
            if names.contains("end"), names.count == 6_668 { break }
        }
        #expect(await process.waitForExit().isSuccess)
        #expect(names == Set(scene.folder.list()))
        #expect(library.exists("disk"))
    }

    /// The number of changes that the kernel keeps for a process that does not read them.
    private static let kernelLimit: Int = {
        let text = try? String(
            contentsOfFile: "/proc/sys/fs/inotify/max_queued_events",
            encoding: .utf8
        )
        return text.flatMap { Int($0.dropLast()) } ?? .max
    }()

    @Test(.enabled(if: kernelLimit < 20_000))
    func `no change is lost when the kernel's queue overflows`() async throws {
        // In memory if possible: this number of files takes long on some disks.
        let folder = try ScratchFolder(in: access("/dev/shm", W_OK) == 0 ? "/dev/shm" : nil)
        let scene = try ShelfScene(at: folder.path)
        let library = try scene.startProbe(["watch"])
        #expect(await library.waitForOutput(containing: "open\n"), "\(library.output)")
        library.signal(SIGSTOP)
        while try !library.isStopped, !Task.isCancelled { await Task.yield() }
        let burst = try scene.startProbe(["burst", "10000"])
        #expect(await burst.waitForExit().isSuccess)
        library.signal(SIGCONT)
        #expect(await library.waitForOutput(containing: "added end\n"))
        // A later change is reported after all earlier ones.
        for (name, word) in [("last", "added last\n"), ("very-last", " .\n")] {
            try folder.write(name, "x")
            #expect(await library.waitForOutput(containing: word))
        }
        #expect(!library.output.contains("lost"))
        let names = library.output.split(separator: "\n").last?.split(separator: " ") ?? []
        #expect(Set(names.dropFirst().dropLast().map(String.init)) == Set(folder.list()))
        #expect(names.count == 6_671)
    }

    @Test func `a reader that is too slow is told that it missed events`() async throws {
        let scene = try ShelfScene()
        let library = try await scene.open { $0.mostUnreadEvents = 10 }
        let (slow, fast) = (library.events, library.events)
        for number in 0..<50 {
            try scene.folder.write("\(number)", "x")
            _ = await fast.first { $0.sentence == "added \(number) -" ? true : nil }
        }
        await library.close()
        var seen: [String] = []
        for await event in slow { seen.append(event.sentence) }
        #expect(seen.first == "lost")
        // The unread events, and the one in place of those that were lost.
        #expect(seen.count <= 10 + 1)
        #expect(seen.last?.hasSuffix(" 49 -") == true)
    }

    @Test func `the end of watching is reported`() async throws {
        let scene = try ShelfScene()
        let library = try await scene.open()
        let events = library.events
        let moved = scene.folder.path + ".moved"
        #expect(rename(scene.folder.path, moved) == 0)
        let reason = await events.first {
            if case .watchingEnded(let reason) = $0 { reason } else { nil }
        }
        #expect(reason?.contains("was renamed") == true)
        #expect(rename(moved, scene.folder.path) == 0)
    }

    @Test func `events end when the library is closed or released`() async throws {
        let scene = try ShelfScene()
        var library: DownloadLibrary? = try await scene.open()
        let events = try #require(library).events
        library = nil
        for await _ in events {}
        let closed = try await scene.open()
        await closed.close()
        for await _ in closed.events {}
        let error = await #expect(throws: DownloadError.self) {
            try await closed.file(for: "disk", from: try scene.url())
        }
        #expect(error?.code == .usage)
    }
}

extension LibraryEvent {
    /// What happened to a file, in a few words.
    fileprivate var sentence: String {
        switch self {
        case .fileAdded(let name, let key): "added \(name) \(key?.text ?? "-")"
        case .fileRemoved(let name, let key): "removed \(name) \(key?.text ?? "-")"
        case .fileChanged(let name, let key): "changed \(name) \(key?.text ?? "-")"
        case .fileRenamed(let old, let new, let key): "renamed \(old) \(new) \(key?.text ?? "-")"
        case .eventsLost: "lost"
        default: "other"
        }
    }
}

extension ProcessRunner {
    fileprivate var isStopped: Bool {
        get throws {
            let status = try String(contentsOfFile: "/proc/\(identifier)/stat", encoding: .utf8)
            // The state follows the program's name, which is in brackets.
            return status.split(separator: ")").last?.dropFirst().first == "T"
        }
    }
}
