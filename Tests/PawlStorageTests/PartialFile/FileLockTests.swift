import Glibc
import PawlCore
import PawlStorage
import PawlTesting
import SystemPackage
import Testing

@Suite(.timeLimit(.minutes(5)))
struct FileLockTests {
    @Test func `a second owner in this process is refused, and the first is named`() throws {
        let folder = try StorageFolder()
        let store = try PartialStore.sample(folder.paths(), total: 10)
        try store.saveCheckpoint(written: RangeSet())
        let error = failure { _ = try PartialRecovery.recover(folder.paths()) }
        #expect(error?.code == .alreadyRunning)
        #expect(error?.message.contains("this process (\(getpid()))") == true)
        store.close()
        _ = try resume(folder.paths())
    }

    @Test func `the lock ends with its owner`() throws {
        let folder = try StorageFolder()
        do {
            let store = try PartialStore.sample(folder.paths(), total: 10)
            try store.saveCheckpoint(written: RangeSet())
        }
        _ = try resume(folder.paths())
    }

    /// A child process has such a copy until it runs its program.
    @Test func `the lock ends with its owner even if there is a copy of the descriptor`() throws {
        let folder = try ScratchFolder()
        let path = folder.file("locked")
        func open() throws -> OpenFile { try OpenFile(path, O_RDWR | O_CREAT) }
        let copy: OpenFile
        do {
            let owner = try open()
            try owner.lock()
            copy = OpenFile(owning: dup(owner.descriptor))
            #expect(throws: Errno.wouldBlock) { try open().lock() }
        }
        try open().lock()
        withExtendedLifetime(copy) {}
    }

    @Test func `a lock is waited for until it is free, or until the time is over`() async throws {
        let folder = try ScratchFolder()
        let path = folder.file("locked")
        let owner = try OpenFile(path, O_RDWR | O_CREAT)
        try owner.lock()
        let other = try OpenFile(path, O_RDWR)
        #expect(try FileLock.tryToTake(other, waitingAtMost: .milliseconds(20)) == .held)
        let pool = BlockingPool(threads: 1, name: "test")
        let begun = Completion<Void>()
        async let attempt = pool.run {
            begun.complete()
            return try? FileLock.tryToTake(other, waitingAtMost: .seconds(200))
        }
        await begun.wait()
        owner.unlock()
        #expect(try await attempt == .taken)
    }

    @Test(
        .enabled(if: access("/usr/bin/flock", X_OK) == 0, "the command flock is not installed"),
        arguments: ["disk.iso.part", "disk.iso.part.pawl"]
    )
    func `another process that holds the lock is named`(name: String) throws {
        let folder = try StorageFolder()
        let store = try PartialStore.sample(folder.paths(), total: 10)
        try store.saveCheckpoint(written: RangeSet())
        store.close()
        let other = try LockingProcess(folder.path.appending(name))
        let error = failure { _ = try PartialRecovery.recover(folder.paths()) }
        #expect(error?.code == .alreadyRunning)
        #expect(
            error?.message.hasPrefix("process \(other.id) is using ") == true,
            "\(error as Any)"
        )
        try other.end()
        _ = try resume(folder.paths())
    }

    @Test func `of two stores created at once, the first to claim has the file`() throws {
        let folder = try StorageFolder()
        let first = try PartialStore.sample(folder.paths(), total: 10)
        let second = try PartialStore.sample(folder.paths(), total: 10)
        try first.write(pattern(10), at: 0)
        try first.saveCheckpoint(written: RangeSet((0, 10)))
        let error = failure { try second.saveCheckpoint(written: RangeSet()) }
        #expect(error?.code == .alreadyRunning)
        try second.discard()
        first.close()
        #expect(try resume(folder.paths()).recovery.have == RangeSet((0, 10)))
    }

    @Test func `a file that took the name meanwhile is not replaced`() throws {
        let folder = try StorageFolder()
        let store = try PartialStore.sample(folder.paths(), total: 10)
        try folder.put(pattern(3), "disk.iso.part")
        let error = failure { try store.saveCheckpoint(written: RangeSet()) }
        #expect(error?.code == .alreadyRunning)
        #expect(folder.names == ["disk.iso.part"])
        #expect(try folder.bytes("disk.iso.part") == pattern(3))
    }
}

/// The command `flock`, which holds the lock until its input ends.
private final class LockingProcess {
    let id: pid_t
    private let input: FileDescriptor

    init(_ path: FilePath) throws {
        let (childInput, input) = try Self.pipe()
        let (output, childOutput) = try Self.pipe()
        self.input = input
        var id = pid_t()
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, childInput.rawValue, 0)
        posix_spawn_file_actions_adddup2(&actions, childOutput.rawValue, 1)
        let words = ["flock", "-n", path.string, "/bin/sh", "-c", "echo; exec cat"]
        var arguments = words.map { strdup($0) }
        arguments.append(nil)
        let status = posix_spawn(&id, "/usr/bin/flock", &actions, nil, &arguments, nil)
        for argument in arguments { free(argument) }
        posix_spawn_file_actions_destroy(&actions)
        self.id = id
        try childInput.close()
        try childOutput.close()
        guard status == 0 else { throw Errno(rawValue: status) }
        // The line means that the lock is held.
        var line = [UInt8](repeating: 0, count: 1)
        _ = try line.withUnsafeMutableBytes { try output.read(into: $0) }
        try output.close()
    }

    /// Creates a pipe that no other child inherits, not even one that is started at this moment.
    private static func pipe() throws -> (read: FileDescriptor, write: FileDescriptor) {
        var ends: [Int32] = [-1, -1]
        let makePipe = try #require(HiddenFunctions.pipe)
        guard makePipe(&ends, O_CLOEXEC) == 0 else { throw Errno(rawValue: errno) }
        return (FileDescriptor(rawValue: ends[0]), FileDescriptor(rawValue: ends[1]))
    }

    func end() throws {
        try input.close()
        var status: Int32 = 0
        guard waitpid(id, &status, 0) == id else { throw Errno(rawValue: errno) }
    }
}
