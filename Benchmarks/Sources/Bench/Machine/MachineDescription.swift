internal import Glibc

/// The machine on which the figures were measured.
///
/// It contains no host name and no path.
struct MachineDescription: Codable, Equatable, Sendable {
    let processor: String
    let cores: Int
    let memoryGibibytes: Int
    let kernel: String
    let distribution: String
    let fileSystem: String

    static func read(in workshop: Workshop) throws -> MachineDescription {
        let processor = try value(of: "model name", in: "/proc/cpuinfo", separator: ":")
        let memory = try value(of: "MemTotal", in: "/proc/meminfo", separator: ":")
        let kibibytes = memory.split(separator: " ").first.flatMap { Int($0) } ?? 0
        let name = try value(of: "PRETTY_NAME", in: "/etc/os-release", separator: "=")
        let fileSystem = try workshop.command(["findmnt", "-n", "-o", "FSTYPE", "-T", "."])
        return MachineDescription(
            processor: processor,
            cores: sysconf(Int32(_SC_NPROCESSORS_ONLN)),
            memoryGibibytes: (kibibytes + (1 << 19)) >> 20,
            kernel: try workshop.command(["uname", "-sr"]).trimmed,
            distribution: name.filter { $0 != "\"" },
            fileSystem: fileSystem.trimmed
        )
    }

    private static func value(
        of key: String,
        in path: String,
        separator: Character
    ) throws -> String {
        for line in try Files.text(path).split(separator: "\n") where line.hasPrefix(key) {
            return String(line.split(separator: separator).dropFirst().joined()).trimmed
        }
        return "unknown"
    }
}

extension String {
    /// The text without white space at both ends.
    var trimmed: String {
        let head = drop { $0.isWhitespace }
        return String(head.reversed().drop { $0.isWhitespace }.reversed())
    }
}
