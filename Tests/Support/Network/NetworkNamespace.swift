import Glibc
import Synchronization

/// A test's own network namespace, connected to this machine by a pair of virtual links.
///
/// It is removed when the object is released. Only root can create one.
package final class NetworkNamespace: Sendable {
    package struct CommandFailed: Error {
        package var command: String
        package var output: String
    }

    private static let count = Atomic<UInt32>(0)

    /// The process that keeps the namespace alive.
    private let holder: ProcessRunner
    /// The name of this side's link, which disappears with the other end.
    private let outside: String
    /// This side's address.
    package let outsideAddress: String
    /// The namespace's address.
    package let insideAddress: String

    /// Whether a namespace can be created, which takes root, the programs, and a kernel with such
    /// links.
    package static let isAvailable: Bool = {
        guard geteuid() == 0, ["unshare", "nsenter", "ip"].allSatisfy(isProgram) else {
            return false
        }
        return system("unshare -n ip link add pawl0 type veth peer name pawl1 2>/dev/null") == 0
    }()

    /// Creates a namespace whose only link is up.
    package init() async throws {
        // Each namespace gets its own number, because the links of a removed one may still exist
        // for a moment.
        let count = Self.count.add(1, ordering: .relaxed).newValue
        let number = (UInt32(getpid()) &* 16 &+ count) & 0x3FFF
        // The addresses belong to the range for benchmarks (RFC 2544), four per namespace.
        let prefix = "198.18.\(number >> 6)"
        let last = (number & 0x3F) << 2
        outsideAddress = "\(prefix).\(last + 1)"
        insideAddress = "\(prefix).\(last + 2)"
        outside = "pawl\(getpid())x\(count)"
        holder = try await Self.hold()
        try await ipOutside(
            "link",
            "add",
            outside,
            "type",
            "veth",
            "peer",
            "name",
            "eth0",
            "netns",
            "\(holder.identifier)"
        )
        try await ipOutside("addr", "add", "\(outsideAddress)/30", "dev", outside)
        try await ipOutside("link", "set", outside, "up")
        try await ip("addr", "add", "\(insideAddress)/30", "dev", "eth0")
        try await ip("link", "set", "eth0", "up")
    }

    /// Creates a namespace whose only link, `eth0`, leads to another namespace.
    ///
    /// The other end is called `next`. `outside` and `inside`: the addresses of the two ends, in a
    /// network of four addresses.
    package init(behind other: NetworkNamespace, outside: String, inside: String) async throws {
        (outsideAddress, insideAddress, self.outside) = (outside, inside, "next")
        holder = try await Self.hold()
        try await other.ip(
            "link",
            "add",
            "next",
            "type",
            "veth",
            "peer",
            "name",
            "eth0",
            "netns",
            "\(holder.identifier)"
        )
        try await other.ip("addr", "add", "\(outside)/30", "dev", "next")
        try await other.ip("link", "set", "next", "up")
        try await ip("addr", "add", "\(inside)/30", "dev", "eth0")
        try await ip("link", "set", "eth0", "up")
    }

    /// Starts the process that holds a namespace, for as long as a test may take.
    private static func hold() async throws -> ProcessRunner {
        let seconds = ProcessSettings.usualLimit.components.seconds
        let script = "ip link set lo up && echo ready && exec sleep \(seconds)"
        let holder = try ProcessRunner("unshare", ["--net", "sh", "-c", script])
        guard await holder.waitForOutput(containing: "ready") else {
            throw CommandFailed(command: script, output: holder.errors)
        }
        return holder
    }

    /// Runs `ip` in the namespace, whose link is `eth0`.
    package func ip(_ arguments: String...) async throws {
        try await Self.run("nsenter", entering(["ip"] + arguments))
    }

    /// Sets this side's link up or down, which gives the other side a carrier or takes it away.
    package func setOutside(_ state: String) async throws {
        try await ipOutside("link", "set", outside, state)
    }

    /// Returns the arguments of `nsenter` that run a command in the namespace.
    package func entering(_ command: [String]) -> [String] {
        ["--net=/proc/\(holder.identifier)/ns/net"] + command
    }

    private func ipOutside(_ arguments: String...) async throws {
        try await Self.run("ip", arguments)
    }

    private static func run(_ program: String, _ arguments: [String]) async throws {
        let run = try await ProcessRunner.run(program, arguments)
        guard run.status.isSuccess else {
            throw CommandFailed(
                command: ([program] + arguments).joined(separator: " "),
                output: run.errors
            )
        }
    }

    private static func isProgram(_ name: String) -> Bool {
        let folders = getenv("PATH").map { String(cString: $0) } ?? ""
        return folders.split(separator: ":").contains { access("\($0)/\(name)", X_OK) == 0 }
    }
}
