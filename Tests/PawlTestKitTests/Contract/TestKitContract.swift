import FoundationEssentials
import Pawl
import PawlCore
import PawlTestKit
import PawlTesting
import Testing

@Suite("Contract: tests without a network", .timeLimit(.minutes(5)))
struct TestKitContract {
    @Test("NSURLProtocol with canned responses, for tests")
    func responses() async throws {
        let scene = try ScriptedScene()
        let bytes = [UInt8].sample(300_000)
        scene.server.respond(to: try scene.url("latest.json"), with: .text(#"["disk.bin"]"#))
        scene.server.respond(
            to: try scene.url(),
            with: .body(bytes).breaking(afterBytes: 100_000),
            .body(bytes)
        )
        let names = try await scene.session.data(from: try scene.url("latest.json"))
            .json([String].self)
        try await scene.download(try #require(names.first))
        try scene.expectFile(bytes)
        #expect(
            scene.server.requests.map(\.url.lastPathComponent) == ["latest.json"] + names + names
        )
    }
}
