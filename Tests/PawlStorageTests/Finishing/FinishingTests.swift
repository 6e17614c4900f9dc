import PawlCore
import PawlStorage
import SystemPackage
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct FinishingTests {
    /// A complete store with 5,000 bytes, with or without a name.
    private static func store(in folder: StorageFolder, isNamed: Bool) throws -> PartialStore {
        let store = try PartialStore.sample(folder.paths(), total: 5_000)
        try store.write(pattern(5_000), at: 0)
        if isNamed { try store.saveCheckpoint(written: RangeSet((0, 5_000))) }
        return store
    }

    private static func numbered(_ folder: StorageFolder) -> FinishPolicy {
        let path = folder.path
        return .rename { path.appending("disk.\($0).iso") }
    }

    @Test(arguments: [true, false])
    func `the file gets its name, and nothing else remains`(isNamed: Bool) throws {
        let folder = try StorageFolder()
        let store = try Self.store(in: folder, isNamed: isNamed)
        let path = try store.finish(total: 5_000, policy: Self.numbered(folder)).path
        #expect(path == folder.paths().final)
        #expect(folder.names == ["disk.iso"])
        #expect(try folder.bytes("disk.iso") == pattern(5_000))
    }

    @Test(arguments: [true, false])
    func `a number is used if the name is taken, and no file is replaced`(isNamed: Bool) throws {
        let folder = try StorageFolder()
        let store = try Self.store(in: folder, isNamed: isNamed)
        try folder.put([1], "disk.iso")
        try folder.put([2], "disk.1.iso")
        let path = try store.finish(total: 5_000, policy: Self.numbered(folder)).path
        #expect(path == folder.path.appending("disk.2.iso"))
        #expect(folder.names == ["disk.1.iso", "disk.2.iso", "disk.iso"])
        #expect(try folder.bytes("disk.iso") == [1])
        #expect(try folder.bytes("disk.1.iso") == [2])
    }

    @Test(arguments: [true, false])
    func `overwriting replaces the file atomically`(isNamed: Bool) throws {
        let folder = try StorageFolder()
        let store = try Self.store(in: folder, isNamed: isNamed)
        try folder.put([1], "disk.iso")
        _ = try store.finish(total: 5_000, policy: .overwrite)
        #expect(folder.names == ["disk.iso"])
        #expect(try folder.bytes("disk.iso") == pattern(5_000))
    }

    @Test(arguments: [true, false])
    func `failing keeps both files as they were`(isNamed: Bool) throws {
        let folder = try StorageFolder()
        let store = try Self.store(in: folder, isNamed: isNamed)
        try folder.put([1], "disk.iso")
        let error = failure { _ = try store.finish(total: 5_000, policy: .fail) }
        #expect(error?.code == .fileExists)
        #expect(try folder.bytes("disk.iso") == [1])
        // The store is unchanged: another policy may follow.
        #expect(
            try store.finish(total: 5_000, policy: Self.numbered(folder)).path.string.hasSuffix(
                "disk.1.iso"
            )
        )
    }

    @Test(arguments: [true, false])
    func `a directory is not overwritten`(isNamed: Bool) throws {
        let folder = try StorageFolder()
        let store = try Self.store(in: folder, isNamed: isNamed)
        try folder.makeFolder("disk.iso")
        let error = failure { _ = try store.finish(total: 5_000, policy: .overwrite) }
        #expect(error?.code == .fileNotCreatable)
        store.close()
        #expect(
            folder.names
                == (isNamed ? ["disk.iso", "disk.iso.part", "disk.iso.part.pawl"] : ["disk.iso"])
        )
    }

    @Test(arguments: [true, false])
    func `a file of the same length is read only on request`(isSame: Bool) throws {
        let folder = try StorageFolder()
        let store = try Self.store(in: folder, isNamed: true)
        let path = folder.paths().final
        try folder.put(pattern(5_000, version: isSame ? 0 : 1), "disk.iso")
        let policy = Self.numbered(folder)
        var file = CompleteFile(store: store, total: 5_000, policy: policy)
        file.readsFiles = false
        #expect(try file.finish() == .undecided(path))
        let stop = DownloadError(.interrupted, "stopped", advice: "")
        let error = failure {
            _ = try file.stamp(ofSameAt: path) { () throws(DownloadError) in throw stop }
        }
        #expect(error?.code == .interrupted)
        file.note(try file.stamp(ofSameAt: path) {}, at: path)
        let name = isSame ? path : folder.path.appending("disk.1.iso")
        #expect(try file.finish() == .named(FinishedName(path: name, wasThere: isSame)))
    }

    @Test func `bytes beyond the end are cut off`() throws {
        let folder = try StorageFolder()
        let store = try Self.store(in: folder, isNamed: true)
        try store.write(pattern(100), at: 5_000)
        _ = try store.finish(total: 5_000, policy: .fail)
        #expect(try folder.bytes("disk.iso") == pattern(5_000))
    }

    @Test func `a file that is too short never gets the name`() throws {
        let folder = try StorageFolder()
        let store = try Self.store(in: folder, isNamed: true)
        let error = failure { _ = try store.finish(total: 5_001, policy: .fail) }
        #expect(error?.code == .diskFailure)
        #expect(folder.names == ["disk.iso.part", "disk.iso.part.pawl"])
    }

    @Test func `another file under the partial name is not finished as Pawl's own`() throws {
        let folder = try StorageFolder()
        let store = try Self.store(in: folder, isNamed: true)
        try FileDescriptor.replace(folder, "disk.iso.part", [6, 6, 6])
        let error = failure { _ = try store.finish(total: 5_000, policy: .fail) }
        #expect(error?.code == .renameFailed)
        #expect(try folder.bytes("disk.iso.part") == [6, 6, 6])
    }

    @Test func `an empty file is a file`() throws {
        let folder = try StorageFolder()
        let store = try PartialStore.sample(folder.paths(), total: 0)
        _ = try store.finish(total: 0, policy: .fail)
        #expect(try folder.bytes("disk.iso") == [])
    }

    @Test func `a finished store lets the next download start`() throws {
        let folder = try StorageFolder()
        let store = try Self.store(in: folder, isNamed: true)
        _ = try store.finish(total: 5_000, policy: .fail)
        #expect(notesOfNothing(try PartialRecovery.recover(folder.paths())) == [])
        #expect(
            failure { _ = try store.finish(total: 5_000, policy: .fail) }?.code == .renameFailed
        )
    }

    @Test(arguments: [true, false])
    func `a corrupt file is kept under a name that marks it`(isNamed: Bool) throws {
        let folder = try StorageFolder()
        try folder.put([1], "disk.iso.corrupt")
        let store = try Self.store(in: folder, isNamed: isNamed)
        let path = try store.keepAsCorrupt(
            reason: "sha256 is 00, should be 01",
            total: 5_000,
            urls: []
        )
        #expect(path == folder.path.appending("disk.iso.corrupt.1"))
        #expect(folder.names == ["disk.iso.corrupt", "disk.iso.corrupt.1"])
        #expect(try folder.bytes("disk.iso.corrupt") == [1])
        #expect(try folder.bytes("disk.iso.corrupt.1") == pattern(5_000))
        if hasAttributes(folder) {
            #expect(TextAttribute.reason.text(of: path) == "sha256 is 00, should be 01")
        }
    }

    @Test(arguments: Renaming.Method.allCases)
    func `every method of renaming moves and never replaces`(method: Renaming.Method) throws {
        let folder = try StorageFolder()
        try folder.put([1], "from")
        try folder.put([2], "taken")
        let from = folder.path.appending("from")
        #expect(throws: Errno.fileExists) {
            try Renaming.withoutReplacing(from, folder.path.appending("taken"), methods: [method])
        }
        try Renaming.withoutReplacing(from, folder.path.appending("to"), methods: [method])
        #expect(folder.names == ["taken", "to"])
        #expect(try folder.bytes("to") == [1])
        #expect(try folder.bytes("taken") == [2])
    }

    @Test func `if no method renames, the error is the file system's own`() throws {
        let folder = try StorageFolder()
        try folder.makeFolder("outer")
        let outer = folder.path.appending("outer")
        #expect(throws: Errno.invalidArgument) {
            try Renaming.withoutReplacing(outer, outer.appending("inner"))
        }
    }
}
