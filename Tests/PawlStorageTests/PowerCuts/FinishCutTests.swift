import PawlCore
import PawlTesting
import Testing

extension PowerCuts {
    /// Design rule 3, and "Finishing" of what is safe to resume: data synced, renamed, folder
    /// synced, in that order.
    struct FinishCutTests {
        @Test(arguments: LoopVolume.FileSystem.allCases)
        func `a file is whole under its name or can be resumed`(
            on fileSystem: LoopVolume.FileSystem
        ) async throws {
            var random = TestSeed.generator("finishing on \(fileSystem)")
            let volume = try await LoopVolume(fileSystem)
            var number = 0
            for policy in CutFinish.Policy.allCases {
                for isNamed in [true, false] where !Task.isCancelled {
                    let time = try await Self.finish(volume, &number, policy, isNamed).time()
                    let moments: [CutFinish.Moment] = [
                        .beforeSync, .afterSync, .afterReturn,
                        .after(time * Double.random(in: 0...1.2, using: &random)),
                        .after(time * Double.random(in: 0...1.2, using: &random)),
                    ]
                    for moment in moments {
                        let finish = Self.finish(volume, &number, policy, isNamed)
                        let broken = try await finish.cut(at: moment)
                        #expect(broken.isEmpty, "\(policy), named: \(isNamed), cut \(moment)")
                    }
                }
            }
        }

        private static func finish(
            _ volume: LoopVolume,
            _ number: inout Int,
            _ policy: CutFinish.Policy,
            _ isNamed: Bool
        ) -> CutFinish {
            number += 1
            return CutFinish(volume: volume, number: number, policy: policy, isNamed: isNamed)
        }
    }
}
