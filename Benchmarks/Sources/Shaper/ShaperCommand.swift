internal import ArgumentParser
internal import CBench
internal import Glibc

@main
struct ShaperCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shaper",
        abstract: "Carry packets between two network namespaces as a long or lossy link would."
    )

    @Argument(help: "The namespaces, by the names that `ip netns` knows.")
    var networks: [String]

    @Option(help: "The TUN device that each of them has.")
    var device: String

    @Option(help: "The delay one way.")
    var delayMicroseconds: Int64 = 0

    @Option(help: "How many packets of a million get lost.")
    var lossPerMillion: UInt64 = 0

    @Option(help: "What the link carries, each way.")
    var bitsPerSecond: Int64

    @Option(help: "How many bytes may wait for the link, each way.")
    var queueBytes: Int64

    @Option(help: "What decides which packets get lost.")
    var seed: UInt64 = 1

    func validate() throws {
        guard networks.count == 2 else { throw ValidationError("two namespaces, please") }
        guard bitsPerSecond > 0 else { throw ValidationError("a link carries something") }
    }

    func run() throws {
        let tunnels = try networks.map { try Tunnel(device, network: $0) }
        let shape = LinkShape(
            delayNanoseconds: delayMicroseconds * 1000,
            lossPerMillion: lossPerMillion,
            bitsPerSecond: bitsPerSecond,
            queueBytes: queueBytes
        )
        var shaper = Shaper([
            Lane(from: tunnels[0], to: tunnels[1], Direction(shape, seed: seed)),
            Lane(from: tunnels[1], to: tunnels[0], Direction(shape, seed: seed &+ 1)),
        ])
        shaper.run()
    }
}
