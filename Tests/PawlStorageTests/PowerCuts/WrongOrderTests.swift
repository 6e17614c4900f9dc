import PawlCore
import PawlStorage
import PawlTesting
import SystemPackage
import Testing

extension PowerCuts {
    /// Writers with a wrong order of operations, which the checks of the other suites must detect.
    struct WrongOrderTests {
        @Test(arguments: LoopVolume.FileSystem.allCases)
        func `claiming unsynced bytes as durable is detected`(
            on fileSystem: LoopVolume.FileSystem
        ) async throws {
            var random = TestSeed.generator("false claims on \(fileSystem)")
            let volume = try await LoopVolume(fileSystem)
            var download = CutDownload(volume) { .withoutSync(on: $0) }
            var losses = 0
            for _ in 0..<6 where !Task.isCancelled {
                let broken = try await download.cutAndRecover(&random)
                losses += broken.contains { if case .lost = $0 { true } else { false } } ? 1 : 0
            }
            #expect(losses > 0)
        }

        /// The compared tail exists, so that recovery trusts bytes that do not.
        @Test(arguments: LoopVolume.FileSystem.allCases)
        func `missing bytes before a synced tail are detected`(
            on fileSystem: LoopVolume.FileSystem
        ) async throws {
            let volume = try await LoopVolume(fileSystem)
            let paths = DownloadPaths(FilePath(volume.path).appending("disk.iso"))
            let content = ContentPattern(seed: 1)
            let whole = ByteRange(0, 1 << 20)
            try syncTail(paths, content, Claim.tailRange(of: whole), total: whole.end)
            try claimWithoutSync(paths, content, whole)
            try volume.cutPower()
            let ledger = WriteLedger(recovered: RangeSet(whole))
            let broken = try ledger.broken(paths, on: .numbered(2), content)
            #expect(broken == [.wrong(at: 0)])
        }

        private func syncTail(
            _ paths: DownloadPaths,
            _ content: ContentPattern,
            _ tail: ByteRange,
            total: Int64
        ) throws {
            let store = try PartialStore.sample(paths, total: total)
            try store.write(content, tail)
            try store.sync(written: RangeSet(tail))
            store.close()
        }

        private func claimWithoutSync(
            _ paths: DownloadPaths,
            _ content: ContentPattern,
            _ whole: ByteRange
        ) throws {
            let found = try PartialRecovery.recover(paths, settings: .withoutSync(on: .firstBoot))
            guard case .resumable(let store, _) = found else {
                Issue.record("found \(found)")
                return
            }
            try store.write(content, ByteRange(0, whole.end - Claim.tailLength))
            try store.sync(written: RangeSet(whole))
            store.close()
        }

        @Test(arguments: LoopVolume.FileSystem.allCases, [true, false])
        func `a name given before the data are synced is detected`(
            on fileSystem: LoopVolume.FileSystem,
            isNamed: Bool
        ) async throws {
            try await expectShortFile(fileSystem, .fail, isNamed: isNamed)
        }

        /// ext4 hides this fault: it writes the data of a file that is renamed over another.
        @Test(arguments: [true, false])
        func `replacing a file before the data are synced is detected on XFS`(
            isNamed: Bool
        ) async throws {
            try await expectShortFile(.xfs, .overwrite, isNamed: isNamed)
        }

        private func expectShortFile(
            _ fileSystem: LoopVolume.FileSystem,
            _ policy: CutFinish.Policy,
            isNamed: Bool
        ) async throws {
            let finish = CutFinish(
                volume: try await LoopVolume(fileSystem),
                number: 1,
                policy: policy,
                isNamed: isNamed,
                settings: .withoutSync(on: .firstBoot)
            )
            let broken = try await finish.cut(at: .afterReturn)
            let isCaught = broken.contains { if case .incomplete = $0 { true } else { false } }
            #expect(isCaught, "\(broken)")
        }
    }
}

extension StoreSettings {
    /// Reports the data as synced without syncing them.
    ///
    /// The checkpoint itself is synced.
    fileprivate static func withoutSync(on boot: BootIdentity) -> StoreSettings {
        var settings = StoreSettings.on(boot)
        settings.syncData = { _ in 0 }
        settings.syncAll = { _ in 0 }
        return settings
    }
}
