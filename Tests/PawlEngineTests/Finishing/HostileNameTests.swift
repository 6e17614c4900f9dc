import PawlCore
import PawlTesting
import Testing

/// A name from a server is a name, never a path.
@Suite(.timeLimit(.minutes(5)), .inTurn)
struct HostileNameTests {
    private let resource = Resource(size: 1000)

    private static let dispositions = [
        "attachment; filename=../../evil",
        "attachment; filename=\"../../evil.sh\"",
        "attachment; filename=/etc/cron.d/evil",
        "attachment; filename=\"..\\\\..\\\\evil.exe\"",
        "attachment; filename*=UTF-8''..%2F..%2Fevil",
        "attachment; filename*=UTF-8''%2e%2e%2f%2e%2e%2fevil",
        "attachment; filename=.bashrc",
        "attachment; filename=\"...\"",
        "attachment; filename=\"..\"",
        "attachment; filename=\"-rf\"",
        "attachment; filename=\"~\"",
        "attachment; filename=\"a\u{1B}[31mred\u{7}.bin\"",
        "attachment; filename*=UTF-8''a%00b%0Ac",
        "attachment; filename*=UTF-8''evil%E2%80%AEgnp.exe",
        "attachment; filename=\"\(String(repeating: "a", count: 5000)).bin\"",
        "attachment; filename=\"disk.bin.part\"",
        "attachment; filename=\"disk.bin.part.pawl\"",
        "attachment; filename=",
        "attachment; filename=\" \"",
    ]

    @Test(arguments: dispositions)
    func `a hostile name stays a plain file in the folder`(disposition: String) async throws {
        let scene = try Scene(.resource(resource).setting("Content-Disposition", disposition))
        let folder = try scene.folder.makeFolder("in")
        let running = EngineProcess().start(
            try scene.url(),
            to: .directory(folder),
            scene.settings(1)
        )
        let file = try await running.file()
        #expect(scene.folder.list() == ["in"])
        let name = try #require(file.path.split(separator: "/").last)
        #expect(file.path == "\(folder)/\(name)")
        #expect(try resource.verify(fileAt: file.path) == nil)
        #expect(name.utf8.count <= 255)
        #expect(!name.hasPrefix(".") && !name.hasPrefix("-") && !name.hasPrefix("~"))
        #expect(!name.hasSuffix(".part") && !name.hasSuffix(".pawl"))
        #expect(!name.unicodeScalars.contains { $0.value < 32 || $0.value == 127 })
        #expect(!name.unicodeScalars.contains("\u{202E}"))
    }

    @Test func `a good name from the server is used`() async throws {
        let reply = Reply.resource(resource).setting(
            "Content-Disposition",
            "attachment; filename=\"report.txt\"; filename*=UTF-8''Bericht%20%C3%BCber.txt"
        )
        let scene = try Scene(reply)
        let running = EngineProcess().start(
            try scene.url(),
            to: .directory(scene.folder.path),
            scene.settings(1)
        )
        #expect(try await running.file().path == scene.folder.path("Bericht über.txt"))
    }
}
