import Glibc
import PawlCore
import PawlTesting
import Testing

extension HeavyTests {
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct KillTests {
        private static let mebibyte: Int64 = 1 << 20

        /// Kills after the origin has sent a random number of bytes, from the first one to more
        /// than a checkpoint contains.
        @Test(arguments: 1...4)
        func `twenty kills at random moments cost no more than 16 MiB each`(part: Int) async throws
        {
            var random = TestSeed.generator("kills, part \(part)")
            let workshop = try Workshop()
            var kills = 0
            var number = 0
            while kills < 20, !Task.isCancelled {
                number += 1
                let path = "/\(number).bin"
                let resource = Resource(
                    size: 40 * Self.mebibyte + Int64(number),
                    seed: random.next()
                )
                let isFast = number.isMultiple(of: 3)
                let reply = Reply.resource(resource)
                workshop.serve(isFast ? reply : reply.rate(24 * Self.mebibyte), at: path)
                var download = KilledDownload(
                    workshop,
                    path: path,
                    resource: resource,
                    options: isFast ? [] : ["-x", "4"],
                    mostLost: 16 * Self.mebibyte,
                    // Loopback sockets grow to some 6 MiB on each side if the sender is faster, as
                    // when the program has to wait for a core.
                    inSockets: 64 * Self.mebibyte
                )
                try await download.run(kills: min(8, 20 - kills)) { missing in
                    Int64.random(in: 1...min(missing, 28 * Self.mebibyte), using: &random)
                }
                kills += download.kills
                unlink(workshop.folder.path("\(number).bin"))
            }
            #expect(kills >= 20)
        }

        /// On a slow line the clock decides, not the bytes.
        ///
        /// Four downloads at a time wait most of it.
        @Test func `twenty kills on a slow connection cost a second of work each`() async throws {
            let seeds = TestSeed.seeds("slow kills", count: 4)
            typealias Kills = (count: Int, costs: [Int64])
            let kills = try await withThrowingTaskGroup(of: Kills.self) { group in
                for seed in seeds {
                    group.addTask { try await Self.killOnSlowLine(seed: seed) }
                }
                return try await group.reduce(into: (count: 0, costs: [Int64]())) { all, own in
                    all.count += own.count
                    all.costs += own.costs
                }
            }
            #expect(kills.count == 5 * seeds.count)
            // After a while without a core, the program receives at once what has arrived in the
            // meantime. So most kills cost a second of work, and none more than a checkpoint by
            // bytes.
            let cheap = kills.costs.count { $0 <= 2 * Self.rate }
            #expect(cheap * 4 >= kills.costs.count * 3, "\(kills.costs)")
        }

        /// The bytes per second and connection of the slow line.
        private static let rate = 2 * mebibyte

        private static func killOnSlowLine(
            seed: UInt64
        ) async throws -> (count: Int, costs: [Int64]) {
            var random = SplitMix64(seed: seed)
            let workshop = try Workshop()
            var kills = 0
            var costs: [Int64] = []
            var number: Int64 = 0
            // One file is enough if no kill comes late.
            while kills < 5, !Task.isCancelled {
                number += 1
                let path = "/\(number).bin"
                let resource = Resource(size: 24 * mebibyte + number, seed: random.next())
                workshop.serve(.resource(resource).rate(rate), at: path)
                var download = KilledDownload(
                    workshop,
                    path: path,
                    resource: resource,
                    options: ["-x", "2"],
                    mostLost: 16 * mebibyte,
                    inSockets: 20 * mebibyte
                )
                try await download.run(kills: 5 - kills) { missing in
                    let least = min(missing, rate)
                    return Int64.random(in: least...min(missing, 3 * rate), using: &random)
                }
                kills += download.kills
                costs += download.costs
            }
            return (kills, costs)
        }
    }
}
