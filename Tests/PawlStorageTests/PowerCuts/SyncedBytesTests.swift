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

        /// The checkpoint is written anew with larger slots, and takes the old one's name.
        @Test(arguments: LoopVolume.FileSystem.allCases)
        func `a checkpoint that grows survives`(
            on fileSystem: LoopVolume.FileSystem
        ) async throws {
            var random = TestSeed.generator("growing checkpoints on \(fileSystem)")
            var download = CutDownload(try await LoopVolume(fileSystem), .scattered)
            var sizes: Set<Int> = []
            func hasGrown() -> Bool { sizes.contains { $0 > 128 * 1024 } }
            // How many cuts come after it has grown hangs on how long a sync takes.
            for cycle in 1...60 where !Task.isCancelled && (cycle <= 10 || !hasGrown()) {
                let broken = try await download.cutAndRecover(&random)
                #expect(broken.isEmpty, "cycle \(cycle)")
                sizes.insert(download.checkpointBytes)
                download.abandon()
            }
            // Else no cut came after it had grown: it begins with less than 70 KiB.
            #expect(hasGrown(), "\(sizes)")
        }
    }
}
