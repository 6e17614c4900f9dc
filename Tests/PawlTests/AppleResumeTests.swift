import Pawl
import PawlCore
import PawlTesting
import Testing

/// The contract's row: Apple's own resume data can be imported and resumed.
@Suite(.timeLimit(.minutes(5)))
struct AppleResumeTests {
    private static let count: Int64 = 400_000
    private let resource = Resource(size: DownloadScene.size)
    private let temporary = "CFNetworkDownload_4711.tmp"

    /// Resume data as `cancel(byProducingResumeData:)` returns it, with its temporary file beside
    /// it.
    private func data(
        _ scene: DownloadScene,
        count: Int64 = AppleResumeTests.count,
        tag: String?
    ) throws -> ResumeData {
        try scene.folder.write(temporary, resource.bytes(ByteRange(0, Self.count)))
        let tag = tag.map {
            "<key>NSURLSessionResumeEntityTag</key><string>\($0)</string>"
        }
        let list = """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict>
            <key>NSURLSessionDownloadURL</key><string>\(try scene.url())</string>
            <key>NSURLSessionResumeBytesReceived</key><integer>\(count)</integer>
            <key>NSURLSessionResumeServerDownloadDate</key><string>\(resource.lastModified ?? "")</string>
            <key>NSURLSessionResumeByteRange</key><string>1000-</string>
            <key>NSURLSessionResumeInfoTempFileName</key><string>\(temporary)</string>
            \(tag ?? "")
            </dict></plist>
            """
        return try ResumeData(appleResumeData: list.utf8)
    }

    private func resume(
        _ scene: DownloadScene,
        _ data: ResumeData,
        fallback: ResumeFallback = .startOver
    ) async throws -> DownloadedFile {
        try await scene.resume(data) {
            $0.partialFile = scene.folder.path(temporary)
            $0.destination = .file(scene.folder.path("disk.bin"))
            $0.fallback = fallback
        }
    }

    @Test func `Apple's temporary file is resumed if the server confirms the tag`() async throws {
        let scene = try DownloadScene()
        scene.origin.route("/disk.bin", .resource(resource))
        let file = try await resume(scene, data(scene, tag: resource.entityTag))
        #expect(try resource.verify(fileAt: file.path) == nil)
        #expect(scene.folder.list() == ["disk.bin"])
        #expect(scene.origin.requests.allSatisfy { $0.status == 206 })
        let first = scene.origin.requests.compactMap(\.range).contains {
            $0.resolve(size: DownloadScene.size)?.start == Self.count - 4096
        }
        #expect(first)
    }

    @Test func `a complete temporary file is still confirmed by the server`() async throws {
        let scene = try DownloadScene()
        var small = Resource(bytes: resource.bytes(ByteRange(0, Self.count)))
        small.lastModified = resource.lastModified
        scene.origin.route("/disk.bin", .resource(small))
        let file = try await resume(scene, data(scene, tag: small.entityTag))
        #expect(try small.verify(fileAt: file.path) == nil)
        #expect(scene.origin.requests.map(\.status) == [206])
    }

    @Test func `Apple's resume data works again after a first use that failed`() async throws {
        let scene = try DownloadScene()
        let data = try data(scene, tag: resource.entityTag)
        scene.origin.route("/disk.bin", .status(404))
        await #expect(throws: DownloadError.self) { try await resume(scene, data) }
        scene.origin.route("/disk.bin", .resource(resource))
        let count = scene.origin.requests.count
        let file = try await resume(scene, data, fallback: .fail)
        #expect(try resource.verify(fileAt: file.path) == nil)
        #expect(scene.asked(since: count).allSatisfy { $0.status == 206 })
    }

    @Test func `a different tag means a different file, which is fetched in full`() async throws {
        let scene = try DownloadScene()
        scene.origin.route("/disk.bin", .resource(resource))
        let file = try await resume(scene, data(scene, tag: "\"another\""))
        #expect(try resource.verify(fileAt: file.path) == nil)
        #expect(scene.folder.list() == ["disk.bin"])
    }

    @Test(arguments: [nil, "W/\"1\""])
    func `without a strong tag nothing is resumed and the temporary file stays`(
        tag: String?
    ) async throws {
        let scene = try DownloadScene()
        scene.origin.route("/disk.bin", .resource(resource))
        let data = try data(scene, tag: tag)
        let error = await #expect(throws: DownloadError.self) {
            try await resume(scene, data, fallback: .fail)
        }
        #expect(error?.resumeObstacle == .weakValidatorOnly)
        let file = try await resume(scene, data)
        #expect(try resource.verify(fileAt: file.path) == nil)
        #expect(scene.folder.list() == [temporary, "disk.bin"].sorted())
    }

    @Test func `a temporary file that is too short is not trusted`() async throws {
        let scene = try DownloadScene()
        scene.origin.route("/disk.bin", .resource(resource))
        let data = try data(scene, count: Self.count + 1, tag: resource.entityTag)
        let error = await #expect(throws: DownloadError.self) {
            try await resume(scene, data, fallback: .fail)
        }
        #expect(error?.resumeObstacle == .partialFileChanged)
        let file = try await resume(scene, data)
        #expect(try resource.verify(fileAt: file.path) == nil)
    }

    @Test func `Apple's resume data without a destination lead to a temporary file`()
        async throws
    {
        let folder = try ScratchFolder()
        var configuration = SessionConfiguration.default
        configuration.temporaryDirectory = folder.path("temporary")
        let scene = try DownloadScene(configuration)
        scene.origin.route("/disk.bin", .resource(resource))
        let data = try data(scene, tag: nil)
        let file = try await scene.session.download(resuming: data)
        #expect(file.path.hasPrefix(folder.path("temporary")))
        #expect(try resource.verify(fileAt: file.path) == nil)
    }

    @Test func `the bare name of the temporary file does not locate it`() async throws {
        let scene = try DownloadScene()
        let data = try data(scene, tag: resource.entityTag)
        let error = await #expect(throws: DownloadError.self) {
            try await scene.resume(data) {
                $0.destination = scene.file()
                $0.fallback = .fail
            }
        }
        #expect(error?.resumeObstacle == .partialFileMissing)
    }
}
