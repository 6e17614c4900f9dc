import PawlCore
import PawlStorage
import SystemPackage
import Testing

@Suite(.timeLimit(.minutes(5)))
struct PlacesTests {
    @Test func `the parts of a download are next to the finished file`() {
        let paths = DownloadPaths("/srv/files/disk.iso")
        #expect(paths.partial == "/srv/files/disk.iso.part")
        #expect(paths.checkpoint == "/srv/files/disk.iso.part.pawl")
        #expect(paths.folder == "/srv/files")
        #expect(DownloadPaths("disk.iso").folder == ".")
    }

    @Test func `either part leads to the others`() {
        let paths = DownloadPaths("a/disk.iso")
        #expect(DownloadPaths(partialOrCheckpoint: "a/disk.iso.part") == paths)
        #expect(DownloadPaths(partialOrCheckpoint: "a/disk.iso.part.pawl") == paths)
        #expect(DownloadPaths(partialOrCheckpoint: "a/disk.iso") == nil)
        #expect(DownloadPaths(partialOrCheckpoint: ".part") == nil)
    }

    @Test func `a name that is not UTF-8 keeps its bytes`() {
        let name: [CChar] = [97, -1, -2, 98, 0]
        let paths = DownloadPaths(FilePath(platformString: name))
        let suffix = ".part".utf8.map { CChar(bitPattern: $0) }
        #expect(paths.partial == FilePath(platformString: [97, -1, -2, 98] + suffix + [0]))
    }

    @Test func `a numbered name that is not UTF-8 keeps its bytes`() {
        let path = FilePath(platformString: [97, 47, -1, 98, 0])
        let numbered = FilePath(platformString: [97, 47, -1, 98, 46, 49, 0])
        #expect(path.numbered(1) == numbered)
        #expect(path.numbered(0) == path)
        #expect(FilePath("a/b.iso").numbered(1) == "a/b.1.iso")
    }

    @Test func `a path is not text if it is not UTF-8`() throws {
        #expect(try FilePath("/srv/ü").absoluteText() == "/srv/ü")
        #expect(try FilePath("ü").absoluteText().hasSuffix("/ü"))
        let odd = FilePath(platformString: [47, -1, 98, 0])
        #expect(failure { _ = try odd.absoluteText() }?.code == .directoryNotUsable)
    }

    @Test func `shortened names of different files differ`() {
        let first = DownloadPaths(FilePath("/x/" + String(repeating: "é", count: 126) + "1"))
        let second = DownloadPaths(FilePath("/x/" + String(repeating: "é", count: 126) + "2"))
        #expect(first.partial != second.partial)
        let name = first.checkpoint.lastComponent?.string ?? ""
        #expect(name.utf8.count <= 250)
        #expect(!name.contains("\u{FFFD}"))
    }

    @Test func `preparing a folder creates its parents and can be repeated`() throws {
        let folder = try StorageFolder()
        let deep = folder.path.appending("a").appending("b").appending("c")
        try FolderPreparation.prepare(deep)
        try FolderPreparation.prepare(deep)
        let store = try PartialStore.sample(DownloadPaths(deep.appending("disk.iso")), total: 0)
        #expect(try store.finish(total: 0, policy: .fail).path == deep.appending("disk.iso"))
    }

    @Test func `a file in place of the folder is an error`() throws {
        let folder = try StorageFolder()
        try folder.put([1], "a")
        for path in [folder.path.appending("a"), folder.path.appending("a").appending("b")] {
            let error = failure { try FolderPreparation.prepare(path) }
            #expect(error?.code == .directoryNotUsable)
            #expect(error?.advice.isEmpty == false)
        }
    }
}
