import Glibc
import PawlCore
import PawlLibrary
import PawlStorage
import PawlTesting
import SystemPackage
import Testing

/// Contract: the watched folder, "deleted, renamed, replaced or added files change the library
/// within a second; a burst of 10,000 changes loses none".
@Suite(.timeLimit(.minutes(5)))
struct FolderWatcherTests {
    /// Starts another process that creates 10,000 files, renames every second and removes every
    /// third.
    private static func startBurst(in folder: ScratchFolder) throws -> ProcessRunner {
        try ProcessRunner(BuiltProduct.path("LibraryProbe"), [folder.path, "burst", "10000"])
    }

    @Test func `the initial files are the baseline`() async throws {
        let folder = try ScratchFolder()
        try folder.write("a", [1])
        try folder.makeFolder("folder")
        symlink("a", folder.path("link"))
        let watched = try WatchedFolder(folder)
        #expect(watched.files.keys.sorted() == ["a"])
        #expect(watched.files == (try watched.snapshot()))
    }

    @Test func `added, replaced, renamed and removed files are reported within a second`()
        async throws
    {
        let watched = try WatchedFolder()
        let folder = watched.folder
        let other = try ScratchFolder()
        let clock = ContinuousClock()
        var least = [Duration](repeating: .seconds(60), count: 8)
        func tell(_ kind: Int, _ expected: FolderChange, _ change: () throws -> Void) async throws {
            let begin = clock.now
            try change()
            while let changes = try await watched.next(), !changes.contains(expected) {}
            least[kind] = min(least[kind], begin.duration(to: clock.now))
            #expect(watched.told.contains(expected))
        }
        // The minimum of three rounds, because a busy machine may stall for longer than that.
        for _ in 0..<3 {
            try await tell(0, .added("a")) { try folder.write("a", [1]) }
            try await watched.catchUp()
            try await tell(1, .modified("a")) { try folder.write("a", [1, 2]) }
            try await tell(2, .removed("a")) { unlink(folder.path("a")) }
            // These files appear whole, in one operation.
            try other.write("1", [1])
            try await tell(3, .added("b")) { rename(other.path("1"), folder.path("b")) }
            try await tell(4, .renamed(from: "b", to: "c")) {
                rename(folder.path("b"), folder.path("c"))
            }
            try other.write("2", [1, 2])
            try await tell(5, .modified("c")) { rename(other.path("2"), folder.path("c")) }
            try await tell(6, .modified("c")) {
                let times = [timespec(tv_sec: 1, tv_nsec: 0), timespec(tv_sec: 1, tv_nsec: 0)]
                utimensat(AT_FDCWD, folder.path("c"), times, 0)
            }
            try await tell(7, .removed("c")) { rename(folder.path("c"), other.path("3")) }
        }
        #expect(least.allSatisfy { $0 < .seconds(1) }, "\(least)")
        #expect(watched.files.isEmpty)
    }

    @Test func `a burst of ten thousand files by another process loses none`() async throws {
        let watched = try WatchedFolder()
        let process = try Self.startBurst(in: watched.folder)
        // Reads continuously, as a fast reader does.
        while watched.files["end"] == nil, try await watched.next() != nil {}
        try await watched.catchUp()
        #expect(await process.waitForExit().isSuccess)
        #expect(watched.files == (try watched.snapshot()))
        #expect(watched.files.count == 6_667)
    }

    @Test func `after an overflow of the kernel's queue a rescan finds the changes`() async throws {
        let gate = Gate(), isShut = Observed(true)
        let watched = try WatchedFolder(before: { step in
            if step == .reading, isShut.value { gate.wait() }
        })
        let process = try Self.startBurst(in: watched.folder)
        #expect(await process.waitForOutput(containing: "done"))
        isShut.update { $0 = false }
        for _ in 0..<4 { gate.open() }
        try await watched.catchUp()
        #expect(watched.told.first == .overflowed)
        #expect(watched.files == (try watched.snapshot()))
        #expect(watched.files.count == 6_667)
        // Watching continues as before.
        try watched.folder.write("after", [1])
        try await watched.catchUp()
        #expect(watched.files["after"] != nil)
    }

    @Test func `a rename while the files are checked is reported as a rename`() async throws {
        let folder = try ScratchFolder(), isDue = Observed(true)
        try folder.write("old", [1])
        let watched = try WatchedFolder(
            folder,
            before: { step in
                // The name is checked because of an earlier event.
                let isNow =
                    step == .checking
                    && isDue.update { isDue in
                        defer { isDue = false }
                        return isDue
                    }
                guard isNow else { return }
                rename(folder.path("old"), folder.path("new"))
            }
        )
        chmod(folder.path("old"), 0o600)
        #expect(try await watched.next() == [.renamed(from: "old", to: "new")])
    }

    @Test func `a late reader gets the newest state, each name once`() async throws {
        let watched = try WatchedFolder()
        for number in 0..<3_000 {
            try watched.folder.write("\(number % 3)", [1, UInt8(number % 7)])
        }
        for name in ["gone", "0"] {
            try watched.folder.write(name, [1])
            unlink(watched.folder.path(name))
        }
        try watched.folder.write("last", [1])
        var changes: [FolderChange] = []
        while !changes.contains(.added("last")), let more = try await watched.next() {
            changes += more
        }
        try await watched.catchUp()
        #expect(watched.files.keys.sorted() == ["1", "2", "last"])
        #expect(watched.files == (try watched.snapshot()))
        #expect(watched.told.count < 20)
    }

    enum End: CaseIterable {
        case removed, renamed, renamedAbove, replaced
    }

    @Test(arguments: End.allCases)
    func `the end of the folder is reported once and is final`(end: End) async throws {
        let above = try ScratchFolder()
        try above.makeFolder("above")
        try above.makeFolder("above/folder")
        let path = above.path("above/folder")
        let watcher = try FolderWatch.begin(FilePath(path))
        switch end {
        case .removed: #expect(rmdir(path) == 0)
        case .renamed: #expect(rename(path, above.path("other")) == 0)
        case .renamedAbove: #expect(rename(above.path("above"), above.path("other")) == 0)
        case .replaced:
            #expect(rename(path, above.path("other")) == 0)
            #expect(mkdir(path, 0o755) == 0)
        }
        #expect(await watcher.next() == [.ended(end == .removed ? .removed : .moved)])
        #expect(await watcher.next() == nil)
        #expect(await watcher.next() == nil)
    }

    @Test(.enabled(if: MemoryDisk.isAvailable))
    func `unmounting the file system is reported`() async throws {
        let disk = try #require(try MemoryDisk(bytes: 1 << 20))
        let watcher = try FolderWatch.begin(FilePath(disk.path))
        // A watch does not prevent unmounting, but a child process of another test may.
        while !disk.unmount(), !Task.isCancelled { await Task.yield() }
        #expect(await watcher.next() == [.ended(.unmounted)])
        #expect(await watcher.next() == nil)
    }

    @Test func `a stopped watcher reports no more changes`() async throws {
        let folder = try ScratchFolder()
        let watcher = try FolderWatch.begin(FilePath(folder.path))
        try folder.write("a", [])
        #expect(await watcher.next()?.first == .added("a"))
        watcher.stop()
        #expect(await watcher.next() == nil)
    }

    @Test func `the thread ends with its owner, even while it is idle`() async throws {
        let folder = try ScratchFolder()
        var watcher: InotifyWatcher? = try InotifyWatcher(FilePath(folder.path))
        let token = WeakToken(object: watcher?.threadToken)
        #expect(token.object != nil)
        watcher = nil
        // Nothing announces the end of a thread, so this polls.
        while token.object != nil, !Task.isCancelled { await Task.yield() }
        #expect(token.object == nil)
    }

    @Test func `a cancelled reader loses nothing for the next one`() async throws {
        let folder = try ScratchFolder()
        let watcher = try FolderWatch.begin(FilePath(folder.path))
        var added: Set<ExactText> = []
        func note(_ changes: [FolderChange]) {
            for case .added(let name) in changes { added.insert(name) }
        }
        for number in 0..<200 {
            let reading = Task { await watcher.next() }
            try folder.write("\(number)", [])
            reading.cancel()
            note(await reading.value ?? [])
        }
        try folder.write("end", [])
        while !added.contains("end"), let changes = await watcher.next() { note(changes) }
        #expect(added == Set(folder.list().map { ExactText($0) }))
    }

    @Test func `a missing folder cannot be watched`() throws {
        let folder = try ScratchFolder()
        try folder.write("file", [])
        for name in ["absent", "file"] {
            #expect(
                failure { _ = try FolderWatch.begin(folder.file(name)) }?.code
                    == .directoryNotUsable
            )
        }
    }
}

private struct WeakToken {
    weak var object: AnyObject?
}
