import PawlTesting
import Testing

extension PowerCuts {
    struct SyncedBytesTests {
        /// Design rules 5 to 7: *durable* survives, *written* is not believed on another boot, and
        /// a torn checkpoint is known for what it is.
        @Test(arguments: LoopVolume.FileSystem.allCases)
        func `what was synced is given back exactly, and nothing else`(
            on fileSystem: LoopVolume.FileSystem
        ) async throws {
            var random = TestSeed.generator("power cuts on \(fileSystem)")
            var download = CutDownload(try await LoopVolume(fileSystem))
            for cycle in 1...24 where !Task.isCancelled {
                let broken = try await download.cutAndRecover(&random)
                #expect(broken.isEmpty, "cycle \(cycle)")
            }
            // Else the moments of the cuts would prove nothing.
            #expect(download.cutsWithPromises >= 6)
            #expect(download.cutsWithMore >= 3)
        }
    }
}
