import PawlTesting
import Testing

extension HeavyTests {
    /// Only root may mount, and a container may have no loop devices.
    @Suite(
        .timeLimit(.minutes(5)),
        .serialized,
        .enabled(if: LoopVolume.isAvailable, "needs root, loop devices, mkfs.ext4 and mkfs.xfs")
    )
    struct PowerCutTests {
        /// The two beside each other, as they wait most of the time.
        @Test func `a download survives three power cuts`() async throws {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for fileSystem in LoopVolume.FileSystem.allCases {
                    group.addTask {
                        var command = try await CutCommand(fileSystem)
                        for _ in 1...3 { try await command.cut() }
                        try await command.finish()
                    }
                }
                try await group.waitForAll()
            }
        }
    }
}
