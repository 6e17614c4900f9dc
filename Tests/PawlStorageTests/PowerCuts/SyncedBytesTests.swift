import PawlTesting
import Testing

extension PowerCuts {
    struct SyncedBytesTests {
        /// Design rules 5 to 7: *durable* survives, *written* is not trusted on another boot, and a
        /// torn checkpoint is detected.
        @Test(arguments: LoopVolume.FileSystem.allCases)
        func `exactly the synced bytes are recovered`(
            on fileSystem: LoopVolume.FileSystem
        ) async throws {
            var random = TestSeed.generator("power cuts on \(fileSystem)")
            var download = CutDownload(try await LoopVolume(fileSystem))
            for cycle in 1...24 where !Task.isCancelled {
                let broken = try await download.cutAndRecover(&random)
                #expect(broken.isEmpty, "cycle \(cycle)")
            }
            // Otherwise the moments of the cuts would prove nothing.
            #expect(download.cutsWithPromises >= 6)
            #expect(download.cutsWithMore >= 3)
        }

        /// The checkpoint is rewritten with larger slots and replaces the old one.
        @Test(arguments: LoopVolume.FileSystem.allCases)
        func `a growing checkpoint survives`(on fileSystem: LoopVolume.FileSystem) async throws {
            var random = TestSeed.generator("growing checkpoints on \(fileSystem)")
            var download = CutDownload(try await LoopVolume(fileSystem), .scattered)
            var sizes: Set<Int> = []
            func hasGrown() -> Bool { sizes.contains { $0 > 128 * 1024 } }
            // The number of cuts until it has grown depends on the duration of a sync.
            for cycle in 1...60 where !Task.isCancelled && (cycle <= 10 || !hasGrown()) {
                let broken = try await download.cutAndRecover(&random)
                #expect(broken.isEmpty, "cycle \(cycle)")
                sizes.insert(download.checkpointBytes)
                download.abandon()
            }
            // Otherwise no cut followed the growth: the checkpoint starts with less than 70 KiB.
            #expect(hasGrown(), "\(sizes)")
        }
    }
}
