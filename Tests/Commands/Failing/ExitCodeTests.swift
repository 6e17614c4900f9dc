import Glibc
import PawlCore
import PawlTesting
import SystemPackage
import Testing

@Suite(.timeLimit(.minutes(5)), .serialized)
struct ExitCodeTests {
    @Test(arguments: Provocation.all)
    func `each error has its status and reason and leaves no file`(provocation: Provocation)
        async throws
    {
        let workshop = try Workshop()
        let watch = Stopwatch()
        let run = try await provocation.provoke(workshop)
        expectFailure(provocation.code, run)
        #expect(!workshop.folder.exists(Workshop.name))
        // A run that ignores the options of the table retries for minutes.
        #expect(watch.elapsed < .seconds(100))
    }

    /// Whatever is added to the table must be provoked here too.
    @Test func `every code of the table is tested`() {
        let here: Set<ErrorCode> = [.diskFull, .alreadyRunning, .interrupted]
        let provoked = here.union(Provocation.all.map(\.code))
        // By its nature nothing outside leads to the first on purpose; the last are the daemon's
        // (`DaemonSuites`), the others the library's.
        let others: Set<ErrorCode> = [
            .unknown, .invalidResumeData, .notResumable, .tooLarge, .cancelled, .daemonUnavailable,
            .notAllowed, .conflict, .daemonVersion, .settingsLost, .storeUnavailable,
        ]
        #expect(Set(ErrorCode.table.map(\.code)).subtracting(provoked) == others)
    }

    @Test func `the status of an interruption is 7`() async throws {
        let workshop = try Workshop()
        workshop.serve(.never)
        let runner = try workshop.start(workshop.url)
        await workshop.origin.waitForRequests(1)
        runner.signal(SIGINT)
        #expect(await runner.waitForExit() == .code(7))
    }

    @Test func `the error of a second process on a file names the first`() async throws {
        let resource = Resource(size: 9 << 20)
        let workshop = try Workshop()
        let latch = Latch()
        workshop.serve(.resource(resource).holdAfterBytes(17 << 19, until: latch))
        let first = try workshop.start(workshop.url, "-x", "1")
        await latch.waitForArrivals()
        // The first checkpoint gives the partial file its name.
        try await FolderWatch.wait(for: "disk.iso.part", in: workshop.folder)
        let second = try await workshop.run(workshop.url)
        expectFailure(.alreadyRunning, second)
        #expect(second.errors.contains("process \(first.identifier) is using disk.iso.part"))
        #expect(second.errors.contains("then run the same command again, or choose another name"))
        // The option for a name cannot be given for a list.
        workshop.origin.route("/small", .resource(Resource(size: 10)))
        let small = workshop.origin.url("/small")
        let list = try await workshop.run(workshop.url, small)
        #expect(list.errors.contains("or choose another folder with --directory"))
        latch.release()
        #expect(await first.waitForExit() == .code(0))
        #expect(workshop.folder.list() == [Workshop.name, "small"])
        try expectExact(Workshop.name, resource, in: workshop)
    }

    @Test(.enabled(if: SmallDisk.isAvailable, "only root can mount a small disk"))
    func `a full disk is reported with the missing space before the download`() async throws {
        let resource = Resource(size: 8 << 20)
        let workshop = try Workshop(resource)
        let disk = try #require(try SmallDisk(bytes: 4 << 20))
        let run = try await workshop.run(workshop.url, "-d", disk.path)
        expectFailure(.diskFull, run)
        #expect(run.errors.contains("4194304 bytes of space are missing"))
        let path = disk.path + "/disk.iso"
        #expect(access(path, F_OK) == -1)
        #expect(access(path + ".part", F_OK) == -1)
    }

    @Test(.enabled(if: SmallDisk.isAvailable, "only root can mount a small disk"))
    func `a disk that becomes full is an error, and the download resumes when there is space`()
        async throws
    {
        let resource = Resource(size: 20 << 20)
        let workshop = try Workshop(resource)
        let disk = try #require(try SmallDisk(bytes: 24 << 20))
        let hog = "hog"
        try fill(disk, hog, bytes: 10 << 20)
        expectFailure(.diskFull, try await workshop.run(workshop.url, "-d", disk.path))
        unlink("\(disk.path)/\(hog)")
        let run = try await workshop.run(workshop.url, "-d", disk.path)
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(try resource.verify(fileAt: disk.path + "/disk.iso") == nil)
    }

    private func fill(_ disk: SmallDisk, _ name: String, bytes: Int) throws {
        let file = try FileDescriptor.open(
            FilePath("\(disk.path)/\(name)"),
            .writeOnly,
            options: .create,
            permissions: .ownerReadWrite
        )
        try file.closeAfter { _ = try file.writeAll([UInt8](repeating: 1, count: bytes)) }
    }
}
