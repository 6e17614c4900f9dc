internal import Glibc

/// Two network namespaces that are connected only to each other, over a shaped link.
///
/// Each has a TUN device, and the shaper carries packets between them. This needs root.
final class NetworkPair {
    static let device = "link0"

    let client: String
    let server: String
    let clientAddress = "10.97.0.1"
    let serverAddress = "10.97.0.2"
    private var undoings: [() -> Void] = []

    init(_ link: LinkSettings, in workshop: Workshop) throws {
        guard getuid() == 0 else { throw Skip(reason: "network namespaces need root") }
        guard Files.exists("/dev/net/tun") else { throw Skip(reason: "/dev/net/tun is missing") }
        client = "pawl-bench-\(getpid())-a"
        server = "pawl-bench-\(getpid())-b"
        workshop.atEnd { [self] in close() }
        try open(client, clientAddress, link, workshop)
        try open(server, serverAddress, link, workshop)
        let shaper = try ChildProcess(
            [
                workshop.settings.launcher, "serve", workshop.settings.shaper, client, server,
                "--device", Self.device, "--delay-microseconds",
                "\(Int(link.delayMilliseconds * 1000))", "--loss-per-million",
                "\(Int(link.loss * 1_000_000))", "--bits-per-second", "\(link.bitsPerSecond)",
                "--queue-bytes", "\(link.queueBytes)",
            ],
            environment: workshop.environment,
            log: workshop.root + "/shaper.log"
        )
        undoings.append { shaper.end() }
        let limit = Moment.now.advanced(bySeconds: 10)
        for name in [client, server] {
            while try !isJoined(name, workshop) {
                guard Moment.now < limit,
                    try shaper.wait(until: .now.advanced(bySeconds: 0.02)) == nil
                else { throw BenchError("the shaper did not open the device in \(name)") }
            }
        }
    }

    /// Whether the shaper holds the device: a TUN device has a carrier once its other end is open.
    private func isJoined(_ name: String, _ workshop: Workshop) throws -> Bool {
        try workshop.command(["ip", "-n", name, "link", "show", Self.device]).contains("LOWER_UP")
    }

    func close() {
        while let undoing = undoings.popLast() { undoing() }
    }

    private func open(
        _ name: String,
        _ address: String,
        _ link: LinkSettings,
        _ workshop: Workshop
    ) throws {
        try workshop.command(["ip", "netns", "add", name])
        undoings.append { workshop.undo(["ip", "netns", "delete", name]) }
        let device = Self.device
        let lines = [
            ["tuntap", "add", "dev", device, "mode", "tun"],
            ["addr", "add", "\(address)/24", "dev", device],
            ["link", "set", "dev", device, "txqueuelen", "20000", "up"],
            ["link", "set", "dev", "lo", "up"],
        ]
        for line in lines { try workshop.command(["ip", "-n", name] + line) }
        if let control = link.congestionControl {
            let set = "echo \(control) > /proc/sys/net/ipv4/tcp_congestion_control"
            try workshop.command(["ip", "netns", "exec", name, "sh", "-c", set])
        }
    }
}
