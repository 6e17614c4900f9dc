import Glibc
import Pawl
import PawlCore
import PawlLibrary
import PawlStorage
import PawlTesting
import SystemPackage
import Testing

/// Contract: "a drop folder: a file with URLs that appears in it becomes downloads".
@Suite(.timeLimit(.minutes(5)))
struct LibraryDropTests {
    private let resource = Resource(size: 20_000)

    private func open(_ scene: ShelfScene, _ drop: ScratchFolder) async throws -> DownloadLibrary {
        try await scene.open { configuration in
            configuration.dropFolder = drop.path
            configuration.dropRest = .milliseconds(50)
        }
    }

    @Test func `files of each kind become downloads and move to taken`() async throws {
        let scene = try ShelfScene()
        let drop = try ScratchFolder()
        for name in ["1", "2", "3", "4", "5"] {
            scene.origin.route("/\(name)", .resource(resource))
        }
        // One file is there before the library is opened.
        try drop.write("early.txt", "# two\n\(scene.origin.url("/1"))\n\(scene.origin.url("/2"))\n")
        let library = try await open(scene, drop)
        try drop.write("link.url", "[InternetShortcut]\r\nURL=\(scene.origin.url("/3"))\r\n")
        try drop.write(
            "list.json",
            """
            ["\(scene.origin.url("/4"))",
             {"url": "\(scene.origin.url("/5"))", "key": "five", "name": "five.bin"}]
            """
        )
        try drop.write("notes.md", scene.origin.url("/6"))
        let keys = ["/1", "/2", "/3", "/4"].map { StorageKey(scene.origin.url($0)) } + ["five"]
        for key in keys { await library.waits(for: key) { $0?.isFinished == true } }
        #expect(library.finishedFile(for: "five")?.name == "five.bin")
        try await drop.wait { $0.list() == ["notes.md", "taken"] }
        #expect(
            try ScratchList.names(drop.path("taken")) == ["early.txt", "link.url", "list.json"]
        )
    }

    @Test func `a file that is still being written is not read`() async throws {
        let scene = try ShelfScene(.resource(resource))
        let drop = try ScratchFolder()
        scene.origin.route("/second.bin", .resource(resource))
        guard tellsOfWriters(drop) else { return }
        let library = try await open(scene, drop)
        let events = library.events
        let file = Glibc.open(drop.path("list.txt"), O_WRONLY | O_CREAT, 0o644)
        let text = Array("\(scene.origin.url("/disk.bin"))\n".utf8)
        #expect(write(file, text, 10) == 10)
        // Files that arrive later are read first.
        for number in 0..<3 {
            try drop.write("\(number).url", scene.origin.url("/second.bin"))
            let taken = await events.first {
                if case .dropTaken(let name, _) = $0 { name } else { nil }
            }
            #expect(taken == "\(number).url")
        }
        #expect(drop.exists("list.txt"))
        #expect(write(file, Array(text[10...]), text.count - 10) == text.count - 10)
        close(file)
        let keys = await events.first { if case .dropTaken(_, let keys) = $0 { keys } else { nil } }
        #expect(keys == [StorageKey(scene.origin.url("/disk.bin"))])
    }

    /// Whether the folder's file system reports who has a file open.
    private func tellsOfWriters(_ folder: PawlTesting.ScratchFolder) -> Bool {
        guard let path = try? folder.write("probe", "x") else { return false }
        defer { unlink(path) }
        let check = DropFolder(FilePath(folder.path)).check(["probe"])["probe"] ?? nil
        return check?.hasWriter == false
    }

    @Test func `an invalid file is rejected with a reason`() async throws {
        let scene = try ShelfScene()
        let drop = try ScratchFolder()
        let library = try await open(scene, drop)
        let events = library.events
        for name in ["bad.txt", "worse.json"] {
            try drop.write(name, "ftp://example.org/a\n")
            let rejected = await events.first { event -> (String, String)? in
                if case .dropRejected(let name, let reason) = event { (name, reason) } else { nil }
            }
            #expect(rejected?.0 == name)
            let reason = try drop.readText("rejected/\(name).reason")
            #expect(reason == (rejected?.1 ?? "") + "\n")
            #expect(try drop.readText("rejected/\(name)") == "ftp://example.org/a\n")
        }
        #expect(drop.list() == ["rejected"])
        #expect(library.entries.isEmpty)
    }

    @Test func `a link is not followed, and a file that is too long is rejected`() async throws {
        let scene = try ShelfScene(.resource(resource))
        let (drop, outside) = (try ScratchFolder(), try ScratchFolder())
        let list = try outside.write("list.txt", scene.origin.url("/disk.bin"))
        #expect(symlink(list, drop.path("early.txt")) == 0)
        let library = try await open(scene, drop)
        let events = library.events
        #expect(symlink(list, drop.path("link.txt")) == 0)
        // A URL, and then nothing but zeros.
        let long = try drop.write("long.txt", scene.origin.url("/disk.bin") + "\n")
        let size: Int64 = (16 << 20) + 1
        #expect(truncate(long, Int(size)) == 0)
        let rejected = await events.first { event -> (String, String)? in
            if case .dropRejected(let name, let reason) = event { (name, reason) } else { nil }
        }
        #expect(rejected?.0 == "long.txt")
        #expect(rejected?.1.isEmpty == false)
        #expect(drop.list() == ["early.txt", "link.txt", "rejected"])
        #expect(drop.size("rejected/long.txt") == size)
        #expect(library.entries.isEmpty)
        #expect(scene.origin.requests.isEmpty)
    }

    @Test func `a process killed between the notes and the move loses nothing`() async throws {
        let scene = try ShelfScene()
        let drop = try ScratchFolder()
        let paths = ["/1", "/2"]
        for path in paths {
            scene.origin.route(path, .resource(resource).holdAfterBytes(1000, until: Latch()))
        }
        var plan = FaultPlan(.killBefore, at: 1, of: [.rename])
        plan.path = drop.path("taken/")
        let process = try scene.startProbe(
            ["drop", drop.path],
            plan.environment(library: try await FaultShim.library())
        )
        #expect(await process.waitForOutput(containing: "open"), "\(process.output)")
        try drop.write("list.txt", paths.map { scene.origin.url($0) + "\n" }.joined())
        #expect(await process.waitForExit() == .signal(SIGKILL))
        #expect(drop.list() == ["list.txt", "taken"])
        let notes = scene.folder.list().filter { $0.hasSuffix(".pawl-download") }
        #expect(notes.count == 2)
        await scene.origin.waitForQuiet()
        for path in paths { scene.origin.route(path, .resource(resource)) }
        let library = try await open(scene, drop)
        for path in paths {
            let key = StorageKey(scene.origin.url(path))
            await library.waits(for: key) { $0?.isFinished == true }
        }
        try await drop.wait { $0.list() == ["taken"] }
        #expect(drop.list("taken") == ["list.txt"])
        #expect(library.entries.count == 2)
        #expect(scene.folder.list().count == 2)
    }

    @Test func `a reason fits beside a file with the longest name`() async throws {
        let scene = try ShelfScene()
        let drop = try ScratchFolder()
        let library = try await open(scene, drop)
        let events = library.events
        let name = String(repeating: "n", count: 251) + ".txt"
        try drop.write(name, "ftp://example.org/a\n")
        let rejected = await events.first {
            if case .dropRejected(let name, _) = $0 { name } else { nil }
        }
        #expect(rejected == name)
        #expect(try ScratchList.names(drop.path("rejected")).count == 2)
    }

    @Test func `two libraries with one drop folder fetch each key once`() async throws {
        let scene = try ShelfScene()
        let drop = try ScratchFolder()
        let (one, two) = (try await open(scene, drop), try await open(scene, drop))
        for number in 0..<10 {
            scene.origin.route("/\(number)", .resource(resource))
            try drop.write("\(number).url", scene.origin.url("/\(number)"))
        }
        for number in 0..<10 {
            let key = StorageKey(scene.origin.url("/\(number)"))
            await one.waits(for: key) { $0?.isFinished == true }
            await two.waits(for: key) { $0?.isFinished == true }
        }
        #expect(scene.origin.requests.count == 10)
        #expect(scene.folder.list().count == 10)
    }
}

/// The names in a folder.
enum ScratchList {
    static func names(_ path: String) throws -> [String] {
        guard let stream = opendir(path) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }
}
