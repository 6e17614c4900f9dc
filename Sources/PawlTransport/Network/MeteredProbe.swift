#if os(Linux)
internal import CPlatform
internal import Glibc
package import PawlCore

/// Asks NetworkManager whether the network is metered, through its own program or a D-Bus client.
///
/// A probe belongs to one thread, which waits for `descriptor` and calls `read`.
package struct MeteredProbe {
    /// A program and its arguments.
    package typealias Command = [String]

    /// The commands to try; the first one installed is used.
    ///
    /// None of them starts NetworkManager.
    package static let systemCommands: [Command] = [
        [
            "busctl", "--json=short", "--auto-start=no", "--timeout=2", "call", service, object,
            "org.freedesktop.DBus.Properties", "Get", "ss", service, "Metered",
        ],
        ["nmcli", "--terse", "--get-values", "METERED", "general", "status"],
        [
            "gdbus", "call", "--system", "--timeout", "2", "--dest", service, "--object-path",
            object, "--method", "org.freedesktop.DBus.Properties.Get", service, "Metered",
        ],
    ]

    private static let service = "org.freedesktop.NetworkManager"
    private static let object = "/org/freedesktop/NetworkManager"
    private static let timeLimit: Duration = .seconds(3)

    private struct Child {
        var identifier: pid_t
        var descriptor: Int32
        var deadline: Moment
        var output: [UInt8] = []
    }

    private let commands: [Command]
    private var child: Child?

    package init(commands: [Command] = Self.systemCommands) { self.commands = commands }

    /// The descriptor to wait for; `nil` if no question is pending.
    package var descriptor: Int32? { child?.descriptor }
    package var deadline: Moment? { child?.deadline }

    /// Starts asking.
    ///
    /// Returns `false` if there is no program to ask with.
    package mutating func begin(at now: Moment) -> Bool {
        for command in commands where start(command, now) { return true }
        return false
    }

    package enum Result: Hashable, Sendable {
        /// No answer has been received yet.
        case pending
        /// The answer; `nil` if it is not known.
        case answered(Bool?)
    }

    /// Reads the available output without waiting.
    package mutating func read(at now: Moment) -> Result {
        guard var child else { return .answered(nil) }
        var buffer = [UInt8](repeating: 0, count: MeteredAnswer.limit)
        while child.output.count <= MeteredAnswer.limit {
            let count = Glibc.read(child.descriptor, &buffer, buffer.count)
            if count > 0 {
                child.output += buffer[..<count]
            } else if count < 0, errno == EINTR {
                continue
            } else if count < 0, errno == EAGAIN, now < child.deadline {
                self.child = child
                return .pending
            } else {
                break
            }
        }
        let hasEndedWell = end()
        return .answered(hasEndedWell ? MeteredAnswer.parse(child.output) : nil)
    }

    /// Ends the program if one runs.
    ///
    /// Returns whether the program had already ended successfully.
    @discardableResult
    package mutating func end() -> Bool {
        guard let child else { return false }
        self.child = nil
        close(child.descriptor)
        // A program closes its output a moment before it ends, so it gets a little time.
        for _ in 0..<50 {
            if pawl_has_ended(child.identifier) == 1 { return pawl_reap(child.identifier) == 1 }
            usleep(1000)
        }
        kill(child.identifier, SIGKILL)
        _ = pawl_reap(child.identifier)
        return false
    }

    private mutating func start(_ command: Command, _ now: Moment) -> Bool {
        guard let program = command.first else { return false }
        let arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var identifier: pid_t = 0
        var descriptor: Int32 = -1
        guard pawl_spawn_reader(program, arguments, 0, &identifier, &descriptor) == 0 else {
            return false
        }
        child = Child(
            identifier: identifier,
            descriptor: descriptor,
            deadline: now + Self.timeLimit
        )
        return true
    }
}
#endif
