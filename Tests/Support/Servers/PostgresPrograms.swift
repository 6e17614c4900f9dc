import Glibc

/// The programs of Debian's PostgreSQL, which are outside PATH.
enum PostgresPrograms {
    /// The folder of the newest version.
    static let folder: String? = {
        let versions = "/usr/lib/postgresql"
        let found = FileTree.names(in: versions).compactMap(Int.init)
            .filter { access("\(versions)/\($0)/bin/postgres", X_OK) == 0 }
        return found.max().map { "\(versions)/\($0)/bin" }
    }()

    /// The user and the group as which the server runs, if it cannot run as this user: it refuses
    /// root.
    static let user: (id: uid_t, group: gid_t)? = {
        guard geteuid() == 0, let entry = getpwnam("postgres") else { return nil }
        return (entry.pointee.pw_uid, entry.pointee.pw_gid)
    }()

    /// Returns a program with its arguments as the server's user runs it.
    static func command(
        _ program: String,
        _ arguments: [String]
    ) throws -> (program: String, arguments: [String]) {
        guard let folder = try folder ?? installed() else {
            throw ServerFailure(description: "PostgreSQL is not installed: scripts/setup --tests")
        }
        let path = "\(folder)/\(program)"
        guard let user else { return (path, arguments) }
        // It becomes the program, so signals reach that.
        let rights = ["--reuid=\(user.id)", "--regid=\(user.group)", "--clear-groups"]
        return ("/usr/bin/setpriv", rights + [path] + arguments)
    }

    /// Runs a program to its end, and returns its output.
    @discardableResult
    static func run(_ program: String, _ arguments: [String]) async throws -> String {
        let (path, arguments) = try command(program, arguments)
        // The working folder of the test run may not be readable for the server's user.
        let run = try await ProcessRunner.run(path, arguments, ProcessSettings(folder: "/"))
        guard run.status.isSuccess else {
            throw ServerFailure(description: "\(program) fails: \(run.errors)\(run.output)")
        }
        return run.output
    }

    /// Gives a file or a folder to the server's user.
    static func give(_ path: String) {
        if let user { chown(path, user.id, user.group) }
    }

    /// The folder that `pg_config` in PATH names; another system than Debian has it there.
    private static func installed() throws -> String? {
        guard let pipe = popen("pg_config --bindir 2>/dev/null", "r") else { return nil }
        defer { pclose(pipe) }
        var line = [CChar](repeating: 0, count: 4096)
        guard fgets(&line, Int32(line.count), pipe) != nil else { return nil }
        let bytes = line.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }
        let path = String(decoding: bytes, as: UTF8.self)
        return access("\(path)/postgres", X_OK) == 0 ? path : nil
    }
}
