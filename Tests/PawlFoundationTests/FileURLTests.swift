import Foundation
import Pawl
import PawlCore
import PawlFoundation
import PawlLibrary
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct FileURLTests {
    private let resource = Resource(size: 100_000)

    @Test(arguments: ["e\u{301}.iso", "\u{e9}.iso", "a b%20c.iso", "专辑.iso", "x#?.iso"])
    func `any name survives as a file URL`(name: String) async throws {
        let scene = try FoundationScene(.resource(resource))
        let target = scene.target(name)
        let file = try await scene.session.download(try scene.url(), to: .file(target))
        #expect(Array(file.path.utf8) == Array(scene.folder.path(name).utf8))
        #expect(try Data(contentsOf: file.fileURL) == Data(resource.bytes()))
        #expect(scene.folder.list().count == 1)
    }

    @Test func `a library's folder and its files have file URLs`() async throws {
        let scene = try FoundationScene(.resource(resource))
        let folder = URL(filePath: scene.folder.path("films"), directoryHint: .isDirectory)
        let library = try await DownloadLibrary(folder: .directory(folder))
        let file = try await library.file(for: "专辑/17", from: try scene.url())
        #expect(file.fileURL.deletingLastPathComponent() == folder)
        #expect(try Data(contentsOf: file.fileURL) == Data(resource.bytes()))
    }

    @Test func `a folder may end with a slash`() async throws {
        let scene = try FoundationScene(.resource(resource))
        let folder = URL(filePath: scene.folder.path("in/here"), directoryHint: .isDirectory)
        let file = try await scene.session.download(try scene.url(), to: .directory(folder))
        #expect(file.fileURL == folder.appending(path: "disk.bin"))
        #expect(scene.folder.exists("in/here/disk.bin"))
        guard case .directory(let path) = try Destination.directory(folder) else {
            Issue.record("not a folder")
            return
        }
        #expect(path == scene.folder.path("in/here"))
    }

    @Test(arguments: [
        "https://example.org/a", "file://server/share/a", "file:///a%00b", "a/b", "file:",
    ])
    func `a URL of no file here is refused`(text: String) throws {
        let url = try #require(URL(string: text))
        let file = #expect(throws: DownloadError.self) { try TaskDestination.file(url) }
        #expect(file?.code == .usage)
        let folder = #expect(throws: DownloadError.self) { try TaskDestination.directory(url) }
        #expect(folder?.code == .usage)
        #expect(throws: DownloadError.self) { try Destination.file(url) }
        #expect(throws: DownloadError.self) { try Place.directory(url) }
        #expect(throws: DownloadError.self) { try CheckpointDescription(partialFile: url) }
        var resume = ResumeSettings()
        #expect(throws: DownloadError.self) { try resume.setPartialFile(url) }
        var library = LibraryConfiguration()
        #expect(throws: DownloadError.self) { try library.setDropFolder(url) }
        #expect(resume.partialFile == nil && library.dropFolder == nil)
    }

    @Test func `a partial file and a drop folder may be file URLs`() throws {
        var resume = ResumeSettings()
        try resume.setPartialFile(URL(filePath: "/tmp/a b.part", directoryHint: .notDirectory))
        #expect(resume.partialFile == "/tmp/a b.part")
        var library = LibraryConfiguration()
        try library.setDropFolder(URL(filePath: "/tmp/drop", directoryHint: .isDirectory))
        #expect(library.dropFolder == "/tmp/drop")
    }

    @Test func `places and their files have file URLs`() async throws {
        let scratch = try ScratchFolder()
        let places = Places(applicationIdentifier: "test")
        let root = URL(filePath: scratch.path, directoryHint: .isDirectory)
        #expect(try places.url(of: .directory(root)) == root)
        let folder = try await places.folder(.directory(scratch.path))
        #expect(folder.url == root)
        #expect(try folder.url(of: "a.txt") == root.appending(path: "a.txt"))
        #expect(throws: DownloadError.self) { try folder.url(of: "../a.txt") }
        try await folder.createFile("a.txt", contents: Data("hello".utf8))
        let taken = await #expect(throws: DownloadError.self) {
            try await folder.createFile("a.txt", contents: Data())
        }
        #expect(taken?.code == .fileExists)
        try await folder.write(Data("hello".utf8), to: "a.txt")
        let moved = try await places.moveFile(
            at: folder.url(of: "a.txt"),
            to: root.appending(path: "b/c.txt")
        )
        #expect(moved.fileURL == root.appending(path: "b/c.txt"))
        #expect(try String(contentsOf: moved.fileURL, encoding: .utf8) == "hello")
        await #expect(throws: DownloadError.self) {
            try await places.moveFile(
                at: moved.fileURL,
                to: try #require(URL(string: "http://example.org/c.txt"))
            )
        }
        #expect(scratch.exists("b/c.txt"))
    }

    @Test func `a library takes data`() async throws {
        let scratch = try ScratchFolder()
        let library = try await DownloadLibrary(folder: .directory(scratch.path))
        let data = Data([0, 1, 0xFF])
        let file = try await library.write(data, for: "notes", named: "notes.bin")
        #expect(file.name == "notes.bin" && file.byteCount == 3)
        #expect(try await library.data(of: "notes") == data)
        #expect(try await library.write(Data(), for: "notes").byteCount == 0)
        await library.close()
    }

    @Test func `the size of an image is read from a file URL`() async throws {
        let scratch = try ScratchFolder()
        let png: [UInt8] =
            [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13]
            + Array("IHDR".utf8) + [0, 0, 0, 8, 0, 0, 0, 9, 8, 0, 0, 0, 0]
        let path = try scratch.write("image.png", png)
        let size = try await ImageSize(ofFile: URL(filePath: path))
        #expect(size?.width == 8 && size?.height == 9)
        let error = await #expect(throws: DownloadError.self) {
            try await ImageSize(ofFile: try #require(URL(string: "http://example.org/a.png")))
        }
        #expect(error?.code == .usage)
    }
}
