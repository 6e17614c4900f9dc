import PawlPostgres

// Prints who is connected to which database, with the address of the first argument and the
// environment of the process; the second argument is the time for that, in milliseconds.
do {
    let address = try PostgresAddress(CommandLine.arguments.dropFirst().first ?? "")
    let time = CommandLine.arguments.dropFirst(2).first.flatMap(Int64.init) ?? 60_000
    let connection = PostgresConnection(address)
    let query =
        "SELECT current_user, current_database(), (SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid())"
    guard let row = try await connection.query(query, within: .milliseconds(time)).value.first
    else {
        throw PostgresError(.failed, "no row")
    }
    let isEncrypted = try row.value(2, as: Bool.self)
    print(try row.value(0, as: String.self), try row.value(1, as: String.self), isEncrypted)
} catch {
    print("\(error)")
}
