import FoundationEssentials
import Glibc
import Testing

/// The CPU time of a process, which does not depend on other work of the machine.
enum ProcessTime {
    /// Returns the CPU time in milliseconds that the process has used so far (proc_pid_stat(5)).
    static func milliseconds(of process: Int32) throws -> Double {
        let text = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        // The name of the program, in parentheses, may contain spaces.
        let end = try #require(text.lastIndex(of: ")"))
        let fields = text[end...].split(separator: " ")
        try #require(fields.count > 13)
        let ticks = fields[12...13].compactMap { Double($0) }.reduce(0, +)
        return ticks * 1000 / Double(sysconf(Int32(_SC_CLK_TCK)))
    }
}
