import Glibc
import PawlCore
import PawlTesting
import Testing

/// What an error says of what is kept, and of what to do next, is so.
@Suite(.timeLimit(.minutes(1)))
struct AdviceTests {
    @Test(
        .enabled(if: SmallDisk.isAvailable, "only root can mount a small disk"),
        arguments: [true, false]
    )
    func `a full disk says what is kept of a file of unknown length`(
        hasValidators: Bool
    ) async throws {
        let resource = Resource(size: 24 << 20)
        let workshop = try Workshop()
        let reply = Reply.resource(resource).chunked()
        workshop.serve(hasValidators ? reply : reply.omitValidators)
        let disk = try #require(try SmallDisk(bytes: 12 << 20))
        let run = try await workshop.run(workshop.url, "-d", disk.path, "--retries", "0")
        expectFailure(.diskFull, run)
        let isKept = access(disk.path + "/disk.iso.part", F_OK) == 0
        #expect(isKept == hasValidators)
        #expect(run.errors.contains("bytes received so far are kept") == isKept, "\(run.errors)")
        #expect(run.errors.contains("none of the received bytes are kept") == !isKept)
    }

    @Test(.enabled(if: SmallDisk.isAvailable, "only root can mount a small disk"))
    func `a state folder that cannot be written is advised about by its variable`() async throws {
        let scene = try DaemonScene(Workshop(Resource(size: 1000)))
        let disk = try #require(try SmallDisk(bytes: 1 << 20))
        try #require(disk.makeReadOnly())
        let runner = try scene.start(
            ["add", scene.workshop.url],
            ["XDG_STATE_HOME": disk.path]
        )
        #expect(await runner.waitForExit() != .code(0))
        #expect(runner.errors.contains("XDG_STATE_HOME"), "\(runner.errors)")
        #expect(!runner.errors.contains("--output"), "\(runner.errors)")
    }
}
