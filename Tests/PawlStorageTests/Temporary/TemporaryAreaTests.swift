import Glibc
import PawlCore
import PawlStorage
import PawlTesting
import SystemPackage
import Testing

/// Contract: "temporary files go when the session ends", even after a crash.
@Suite(.timeLimit(.minutes(5)))
struct TemporaryAreaTests {
    private static func areas(_ folder: ScratchFolder) -> [String] {
        folder.list().filter { !$0.hasSuffix(".lock") }
    }

    /// Starts a process that creates an area and keeps running.
    ///
    /// Returns the area's path, too.
    private static func start(_ folder: ScratchFolder) async throws -> (ProcessRunner, String) {
        let process = try Probe.start("area", folder.path)
        try #require(await process.waitForOutput(containing: "\n"), "\(process.output)")
        let line = process.output.split(separator: "\n").first ?? ""
        try #require(line.hasPrefix("area "), "\(line)")
        return (process, String(line.dropFirst(5)))
    }

    @Test func `only the user can access an area, which is removed with its owner`() throws {
        let folder = try ScratchFolder()
        var area: TemporaryArea? = try TemporaryArea.make(in: FilePath(folder.path))
        let path = try #require(area?.path.string)
        try area?.files.createFile("deep/data", [1])
        var status = stat()
        #expect(lstat(path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o700)
        #expect(folder.list().count == 2)
        area = nil
        #expect(folder.list() == [])
    }

    @Test func `an area can be removed explicitly, and more than once`() throws {
        let folder = try ScratchFolder()
        let area = try TemporaryArea.make(in: FilePath(folder.path))
        try area.remove()
        #expect(folder.list() == [])
        try area.remove()
    }

    @Test func `another area of this process is not removed`() throws {
        let folder = try ScratchFolder()
        let areas = try (0..<5).map { _ in try TemporaryArea.make(in: FilePath(folder.path)) }
        #expect(Self.areas(folder).count == 5)
        withExtendedLifetime(areas) {}
    }

    @Test func `the next start removes what a killed process left`() async throws {
        let folder = try ScratchFolder()
        let (process, path) = try await Self.start(folder)
        #expect(access("\(path)/deep/deeper/data.bin", F_OK) == 0)
        process.signal(SIGKILL)
        #expect(await process.waitForExit() == .signal(SIGKILL))
        #expect(access("\(path)/deep/deeper/data.bin", F_OK) == 0)
        let area = try TemporaryArea.make(in: FilePath(folder.path))
        #expect(access(path, F_OK) != 0)
        #expect(folder.list().count == 2)
        try area.remove()
        #expect(folder.list() == [])
    }

    @Test func `an area of a running process is never touched`() async throws {
        let folder = try ScratchFolder()
        let (living, path) = try await Self.start(folder)
        let (dying, gone) = try await Self.start(folder)
        dying.signal(SIGKILL)
        await dying.waitForExit()
        for _ in 0..<5 {
            let other = try await Probe.run(["leave", folder.path])
            #expect(other.status.isSuccess, "\(other.output)")
        }
        #expect(access("\(path)/deep/deeper/data.bin", F_OK) == 0)
        #expect(access(gone, F_OK) != 0)
        #expect(living.status == nil)
        living.signal(SIGKILL)
        await living.waitForExit()
    }

    @Test func `many processes that start and die at once leave nothing in the end`() async throws {
        let folder = try ScratchFolder()
        for _ in 0..<3 {
            let processes = try (0..<6).map { _ in try Probe.start("area", folder.path) }
            for (number, process) in processes.enumerated() {
                // Some are killed in the middle of their start.
                if number.isMultiple(of: 2) {
                    #expect(await process.waitForOutput(containing: "area /"), "\(process.output)")
                }
                process.signal(SIGKILL)
            }
            for process in processes { await process.waitForExit() }
        }
        try TemporaryArea.make(in: FilePath(folder.path)).remove()
        #expect(folder.list() == [])
    }

    @Test func `a folder without a lock is removed, and other names are left alone`() throws {
        let folder = try ScratchFolder()
        for name in ["area-1f", "area-xyz", "area-", "area-01", "mine"] {
            try folder.makeFolder(name)
            try folder.write("\(name)/file", [1])
        }
        try folder.write("area-xyz.lock", [])
        try TemporaryArea.make(in: FilePath(folder.path)).remove()
        #expect(folder.list() == ["area-", "area-01", "area-xyz", "area-xyz.lock", "mine"])
    }

    @Test func `links in leftovers are not followed`() throws {
        let folder = try ScratchFolder(), other = try ScratchFolder()
        try other.write("kept", [1])
        try folder.makeFolder("area-1")
        symlink(other.path, folder.path("area-1/link"))
        symlink(other.path, folder.path("area-2"))
        try TemporaryArea.make(in: FilePath(folder.path)).remove()
        #expect(folder.list() == [])
        #expect(other.list() == ["kept"])
    }

    /// Who holds the partial file when the area is removed.
    enum Owner: CaseIterable, Sendable {
        case area, another, running, finished
    }

    @Test(arguments: Owner.allCases)
    func `an adopted partial file is removed with the area unless it has a new owner`(
        owner: Owner
    ) throws {
        let folder = try ScratchFolder(), other = try ScratchFolder()
        let area = try TemporaryArea.make(in: FilePath(folder.path))
        let store = try PartialStore.sample(
            DownloadPaths(FilePath(other.path("disk.iso"))),
            total: 9
        )
        try store.write(pattern(9), at: 0)
        area.adopt(store, as: "1")
        try store.saveCheckpoint(written: RangeSet((0, 9)))
        if owner != .running { store.close() }
        if owner == .finished { area.release("1") }
        if owner == .another {
            let old = try other.read("disk.iso.part")
            // The old file stays for a while, so that its inode is not reused.
            rename(other.path("disk.iso.part"), folder.path("kept"))
            try other.write("disk.iso.part", old)
        }
        try area.remove()
        let names = owner == .area ? [] : ["disk.iso.part", "disk.iso.part.pawl"]
        #expect(other.list() == names)
        store.close()
    }

    @Test func `a partial file that reused the inode of another is left alone`() throws {
        let folder = try ScratchFolder(), other = try ScratchFolder()
        let area = try TemporaryArea.make(in: FilePath(folder.path))
        let store = try PartialStore.sample(
            DownloadPaths(FilePath(other.path("disk.iso"))),
            total: 9
        )
        try store.write(pattern(9), at: 0)
        area.adopt(store, as: "1")
        try store.saveCheckpoint(written: RangeSet((0, 9)))
        store.close()
        // As if the recorded file had been created at another moment.
        let note = area.path.appending("1.unfinished").string
        let name = String(note.dropFirst(folder.path.count + 1))
        let lines = String(decoding: try folder.read(name), as: UTF8.self)
            .split(separator: "\n", maxSplits: 1)
        var numbers = try #require(lines.first).split(separator: " ").map(String.init)
        #expect(numbers.count == 3)
        numbers[2] = "1"
        try folder.write(name, Array("\(numbers.joined(separator: " "))\n\(lines[1])".utf8))
        try area.remove()
        #expect(other.list() == ["disk.iso.part", "disk.iso.part.pawl"])
    }
}
