import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// Files of this computer as sources of the daemon's downloads.
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct DaemonFileTests {
        @Test func `a download that is added over TCP reads no file of the user`() async throws {
            let network = try await NetworkScene.make()
            let home = network.scene.home
            let secret = try home.write("secret", "key")
            for settings in [
                #""url":"file://\#(secret)""#,
                #""url":"http://127.0.0.1:1/a","settings":{"mirrors":["file://\#(secret)"]}"#,
            ] {
                let answer = try await network.ask(
                    "POST",
                    "/v1/downloads",
                    #"{"downloads":[{\#(settings),"destination":""}]}"#
                )
                #expect(answer.status == 403, "\(answer.body)")
            }
            let answer = try await network.ask(
                "POST",
                "/v1/downloads",
                #"{"downloads":[{"url":"http://127.0.0.1:1/secret","destination":"","isPaused":true}]}"#
            )
            #expect(answer.status == 201, "\(answer.body)")
            let change = try await network.ask(
                "POST",
                "/v1/changes",
                #"{"selection":{"targets":["1"]},"changes":{"url":"file://\#(secret)"}}"#
            )
            #expect(change.status == 403, "\(change.body)")
            // The user's own download does.
            let folder = try home.makeFolder("own")
            try await network.scene.succeed("remove", "--all")
            try await network.scene.succeed("add", "file://\(secret)", "-d", folder)
            try await network.scene.succeed("wait", "--all")
            #expect(try home.readText("own/secret") == "key")
        }
    }
}
