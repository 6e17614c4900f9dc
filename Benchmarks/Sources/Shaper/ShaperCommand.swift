internal import ArgumentParser
internal import CBench
internal import Glibc

@main
struct ShaperCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shaper",
        abstract: "Carry packets between two network namespaces as a long or lossy link would."
    )

    @Argument(help: "The names of the namespaces, as `ip netns` lists them.")
    var networks: [String]

    @Option(help: "The name of the TUN device in each namespace.")
    var device: String

    @Option(help: "The delay in one direction.")
    var delayMicroseconds: Int64 = 0

    @Option(help: "The number of lost packets per million.")
    var lossPerMillion: UInt64 = 0

    @Option(help: "The rate of the link in each direction.")
    var bitsPerSecond: Int64

    @Option(help: "The maximum number of bytes that wait for the link, in each direction.")
    var queueBytes: Int64

    @Option(help: "The seed that determines the lost packets.")
    var seed: UInt64 = 1

    func validate() throws {
        guard networks.count == 2 else { throw ValidationError("give two namespaces") }
        guard bitsPerSecond > 0 else { throw ValidationError("the rate must be above 0") }
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
