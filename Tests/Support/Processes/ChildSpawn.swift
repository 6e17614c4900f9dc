import Glibc
import SystemPackage

/// A wrapper of `posix_spawn` for Swift values.
enum ChildSpawn {
    static func spawn(
        _ program: String,
        _ arguments: [String],
        _ settings: ProcessSettings,
        _ plumbing: ChildPlumbing
    ) throws(Errno) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        prepare(&attributes)
        plumbing.prepare(&actions)
        if let folder = settings.folder {
            guard let change = HiddenFunctions.addChangeFolder, change(&actions, folder) == 0
            else { throw .notSupported }
        }
        var identifier: pid_t = 0
        let code = withStrings([program] + arguments) { arguments in
            withStrings(environment(settings.environment)) { environment in
                posix_spawnp(&identifier, program, &actions, &attributes, arguments, environment)
            }
        }
        guard code == 0 else { throw Errno(rawValue: code) }
        return identifier
    }

    /// Gives the child its own session, no masked signals and default actions, because the test run
    /// may have changed its own.
    private static func prepare(_ attributes: inout posix_spawnattr_t) {
        let flags =
            HiddenFunctions.spawnNewSession | Int16(POSIX_SPAWN_SETSIGMASK)
            | Int16(POSIX_SPAWN_SETSIGDEF)
        posix_spawnattr_setflags(&attributes, flags)
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for signal in [SIGINT, SIGTERM, SIGPIPE, SIGHUP, SIGQUIT, SIGWINCH] {
            sigaddset(&signals, signal)
        }
        posix_spawnattr_setsigdefault(&attributes, &signals)
    }

    private static func environment(_ changes: [String: String?]) -> [String] {
        var variables = inheritedEnvironment
        for (name, value) in changes { variables[name] = value }
        return variables.map { "\($0.key)=\($0.value)" }.sorted()
    }

    /// The environment of this process, from /proc, because Swift 6 rejects the global variable
    /// `environ`.
    private static let inheritedEnvironment: [String: String] = {
        guard let file = fopen("/proc/self/environ", "re") else { return [:] }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while case let count = fread(&buffer, 1, buffer.count, file), count > 0 {
            bytes += buffer[0..<count]
        }
        let pairs = bytes.split(separator: 0).compactMap { entry -> (String, String)? in
            guard let equals = entry.firstIndex(of: UInt8(ascii: "=")) else { return nil }
            return (
                String(decoding: entry[..<equals], as: UTF8.self),
                String(decoding: entry[(equals + 1)...], as: UTF8.self)
            )
        }
        return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    }()

    private static func withStrings<Result>(
        _ strings: [String],
        _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let copies = strings.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return body(copies + [nil])
    }
}
