import Glibc
import Synchronization

/// A network namespace of a test's own, joined to this machine's by a pair of virtual links; gone
/// with its owner.
///
/// Only root can make one.
package final class NetworkNamespace: Sendable {
    package struct CommandFailed: Error {
        package var command: String
        package var output: String
    }

    private static let count = Atomic<UInt32>(0)

    /// Keeps the namespace there.
    private let holder: ProcessRunner
    /// This side's link, which goes with the other end.
    private let outside: String
    /// This side's address.
    package let outsideAddress: String
    /// The namespace's.
    package let insideAddress: String

    /// Whether one can be made: root, the programs, and a kernel that has such links.
    package static let isAvailable: Bool = {
        guard geteuid() == 0, ["unshare", "nsenter", "ip"].allSatisfy(isProgram) else {
            return false
        }
        return system("unshare -n ip link add pawl0 type veth peer name pawl1 2>/dev/null") == 0
    }()

    /// Makes one whose only link is up.
    package init() async throws {
        // Another each time: the links of one that has gone may still be there for a moment.
        let count = Self.count.add(1, ordering: .relaxed).newValue
        let number = (UInt32(getpid()) &* 16 &+ count) & 0x3FFF
        // Of the range for measurements between networks (RFC 2544), four addresses each.
        let prefix = "198.18.\(number >> 6)"
        let last = (number & 0x3F) << 2
        outsideAddress = "\(prefix).\(last + 1)"
        insideAddress = "\(prefix).\(last + 2)"
        outside = "pawl\(getpid())x\(count)"
        var settings = ProcessSettings()
        settings.timeLimit = .seconds(120)
        let script = "ip link set lo up && echo ready && exec sleep 120"
        holder = try ProcessRunner("unshare", ["--net", "sh", "-c", script], settings)
        guard await holder.waitForOutput(containing: "ready") else {
            throw CommandFailed(command: script, output: holder.errors)
        }
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

    /// Makes one whose only link, `eth0`, leads to another namespace, where the other end is called `next`.
    ///
    /// `outside` and `inside`: the addresses of the two ends, in a network of four.
    package init(behind other: NetworkNamespace, outside: String, inside: String) async throws {
        (outsideAddress, insideAddress, self.outside) = (outside, inside, "next")
        var settings = ProcessSettings()
        settings.timeLimit = .seconds(120)
        let script = "ip link set lo up && echo ready && exec sleep 120"
        holder = try ProcessRunner("unshare", ["--net", "sh", "-c", script], settings)
        guard await holder.waitForOutput(containing: "ready") else {
            throw CommandFailed(command: script, output: holder.errors)
        }
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

    /// Runs `ip` in the namespace; its link is `eth0`.
    package func ip(_ arguments: String...) async throws {
        try await Self.run("nsenter", entering(["ip"] + arguments))
    }

    /// Sets this side's link up or down; the other then has a carrier or none.
    package func setOutside(_ state: String) async throws {
        try await ipOutside("link", "set", outside, state)
    }

    /// What `nsenter` needs to run a command in the namespace.
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
