import PawlCore
import PawlTesting
import Testing

extension PowerCuts {
    /// Design rule 2: the bytes of two representations never mix.
    struct ResetCutTests {
        @Test(arguments: LoopVolume.FileSystem.allCases)
        func `old bytes are never recovered as those of the new file`(
            on fileSystem: LoopVolume.FileSystem
        ) async throws {
            var random = TestSeed.generator("resets on \(fileSystem)")
            let volume = try await LoopVolume(fileSystem)
            for number in 0..<12 where !Task.isCancelled {
                let moments: [CutReset.Moment] = [
                    .afterReturn, .afterSync,
                    .after(.microseconds(Int.random(in: 0...8000, using: &random))),
                ]
                let moment = moments[number % moments.count]
                let start = Int64.random(in: 0..<500_000, using: &random)
                let part = ByteRange(start, start + Int64.random(in: 1...500_000, using: &random))
                let reset = CutReset(volume: volume, number: number)
                let broken = try await reset.cut(at: moment, part: part)
                #expect(broken.isEmpty, "cut \(number), \(moment), bytes \(part)")
            }
        }
    }
}
