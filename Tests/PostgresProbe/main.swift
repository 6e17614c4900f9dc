import Glibc
import PawlPostgres

// Prints who is connected to which database, with the address of the first argument and the
// environment of the process; the second argument is the time for that, in milliseconds. With
// `no-thread` in its place, it prints what a listener reports if there is no thread left.
do {
    let address = try PostgresAddress(CommandLine.arguments.dropFirst().first ?? "")
    let how = CommandLine.arguments.dropFirst(2).first ?? ""
    if how == "no-thread" {
        listenWithoutThread(address)
    } else {
        try await show(address, within: .milliseconds(Int64(how) ?? 60_000))
    }
} catch {
    print("\(error)")
}

func show(_ address: PostgresAddress, within time: Duration) async throws {
    let connection = PostgresConnection(address)
    let query =
        "SELECT current_user, current_database(), (SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid())"
    guard let row = try await connection.query(query, within: time).value.first else {
        throw PostgresError(.failed, "no row")
    }
    let isEncrypted = try row.value(2, as: Bool.self)
    print(try row.value(0, as: String.self), try row.value(1, as: String.self), isEncrypted)
}

func listenWithoutThread(_ address: PostgresAddress) {
    // The memory that is left is less than the stack of a thread needs.
    let kind = __rlimit_resource_t(UInt32(RLIMIT_AS.rawValue))
    var limit = rlimit(rlim_cur: usedBytes() + (4 << 20), rlim_max: rlim_t.max)
    guard setrlimit(kind, &limit) == 0 else { return print("no limit") }
    let listener = PostgresListener(address, channels: ["pawl"]) { event in
        if case .stopped(let error) = event { print(error.message) }
    }
    listener.close()
}

/// Returns the size of the process's memory.
func usedBytes() -> rlim_t {
    guard let file = fopen("/proc/self/statm", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 200)
    fgets(&line, Int32(line.count), file)
    return rlim_t(strtoull(line, nil, 10)) * rlim_t(sysconf(Int32(_SC_PAGESIZE)))
}
