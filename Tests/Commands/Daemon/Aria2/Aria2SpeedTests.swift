import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// The time of long lists.
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct Aria2SpeedTests {
        #if DEBUG
        /// Without optimization, the same work takes many times as long.
        private static let most = 400.0
        #else
        private static let most = 20.0
        #endif

        private static let count = 1000
        private static let rounds = 20

        /// The time of a call in milliseconds: the shortest of several, or the CPU time of the
        /// daemon, if other programs of the machine make each of them longer.
        private func time(
            _ scene: Aria2Scene,
            _ method: String
        ) async throws -> Double {
            let object = scene.aria2.object(method, [0, .number(Self.count)])
            let call = String(decoding: try WireJSON.encode(object), as: UTF8.self)
            let before = try ProcessTime.milliseconds(of: scene.daemon.identifier)
            let answers = try await ClientProgram.askOnWebSocket(
                scene.port,
                Array(repeating: [call], count: Self.rounds)
            )
            #expect(answers.count == Self.rounds)
            for answer in answers {
                let gids = answer.answer.split(
                    separator: #""gid":"#,
                    omittingEmptySubsequences: false
                )
                #expect(gids.count == Self.count + 1)
            }
            let after = try ProcessTime.milliseconds(of: scene.daemon.identifier)
            let used = (after - before) / Double(Self.rounds)
            return min(used, answers.map(\.milliseconds).min() ?? .infinity)
        }

        @Test func `1,000 downloads are listed in time`() async throws {
            let scene = try await Aria2Scene.make()
            let folder = try scene.scene.home.makeFolder("Downloads")
            let urls = (0..<Self.count).map { "http://127.0.0.1:1/folder/file-\($0).iso" }
            let list = try scene.scene.home.write("list", Array(urls.joined(separator: "\n").utf8))
            try await scene.scene.succeed("add", "--paused", "-d", folder, "-i", list)
            let waiting = try await time(scene, "tellWaiting")
            #expect(waiting < Self.most)
            try await scene.scene.succeed("cancel", "--all")
            let stopped = try await time(scene, "tellStopped")
            #expect(stopped < Self.most)
        }
    }
}
