internal import PawlCore
package import PawlPostgres

/// Creates the tables in PostgreSQL, and upgrades those of an earlier version.
///
/// Each daemon does that when it starts, one after the other.
package struct PostgresMigration {
    let schema: String
    /// The changes that lead from each version to the next.
    let versions: [String]
    /// The oldest version that can use the tables of the newest one.
    let readableFrom: Int

    /// What a daemon needs to know of the tables.
    package struct Outcome {
        /// The random text that identifies the queue.
        package let identity: String
    }

    package init(
        schema: String,
        versions: [String] = PostgresSchema.versions,
        readableFrom: Int = PostgresSchema.readableFrom
    ) {
        (self.schema, self.versions, self.readableFrom) = (schema, versions, readableFrom)
    }

    /// The first half of the number of the lock that a migration holds, which stands for Pawl.
    private static let lockGroup: Int64 = 0x7061_776c
    /// A large queue takes a while.
    private static let time = Duration.seconds(3600)

    /// Returns the schema that the address, the environment or a service file names; the default
    /// if none does.
    static func schema(on session: PostgresConnection) throws -> String {
        let result = try session.query(
            "SELECT setting, source FROM pg_settings WHERE name = 'search_path'",
            within: PostgresStore.writeTime
        ).wait()
        guard let row = result.first, try row.value(1) == "client" else {
            return PostgresSchema.defaultName
        }
        return firstName(in: try row.value(0)) ?? PostgresSchema.defaultName
    }

    /// Returns the first name of a list such as `"My schema", public`.
    package static func firstName(in list: String) -> String? {
        var rest = list.drop { $0 == " " }
        guard rest.first == "\"" else {
            let name = rest.prefix { $0 != "," && $0 != " " }
            return name.isEmpty ? nil : name.lowercased()
        }
        rest = rest.dropFirst()
        var name = ""
        while let character = rest.popFirst() {
            if character == "\"" {
                guard rest.first == "\"" else { break }
                rest = rest.dropFirst()
            }
            name.append(character)
        }
        return name.isEmpty ? nil : name
    }

    /// Creates or upgrades the tables, on a session whose `search_path` is the schema alone.
    ///
    /// - Throws: `.directoryNotUsable` if the tables are those of a newer version or of another
    ///   program, among others.
    package func run(on session: PostgresConnection) throws -> Outcome {
        try session.send("BEGIN ISOLATION LEVEL READ COMMITTED")
        try session.send("SET LOCAL statement_timeout = 0")
        try session.send("SET LOCAL lock_timeout = 0")
        try session.send("SET LOCAL idle_in_transaction_session_timeout = 0")
        // One daemon at a time; others wait.
        try session.send(
            "SELECT pg_advisory_xact_lock($1::integer, hashtext($2))",
            [.integer(Self.lockGroup), .text("migration of \(schema)")]
        )
        do {
            let known = try version(on: session)
            if known < versions.count { try upgrade(from: known, on: session) }
            let identity = try setting(PostgresSchema.identityName, on: session) ?? ""
            _ = try session.query("COMMIT", within: Self.time).wait()
            return Outcome(identity: identity)
        } catch {
            // Without that, the connection is not used again.
            _ = try? session.query("ROLLBACK", within: PostgresStore.writeTime).wait()
            throw error
        }
    }

    /// Returns the version of the tables; 0 if there are none.
    private func version(on session: PostgresConnection) throws -> Int {
        let encoding = try session.query("SHOW server_encoding", within: Self.time).wait()
        let name: String = try encoding.first?.value(0) ?? ""
        guard name == "UTF8" else { throw refusal("it has the encoding \(name), not UTF8") }
        let found = try session.query(
            "SELECT relname::text FROM pg_class WHERE relnamespace = to_regnamespace($1)",
            [.text(PostgresValue.identifier(schema))],
            within: Self.time
        ).wait()
        let names = try found.rows.map { row in try row.value(0, as: String.self) }
        let ours = Set(PostgresSchema.tables).intersection(names).sorted()
        guard !ours.isEmpty else { return 0 }
        guard let text = try setting(PostgresSchema.versionName, on: session),
            let version = Int(text), version > 0,
            let readable = try setting(PostgresSchema.readableName, on: session).flatMap({ Int($0) }
            )
        else {
            let list = ours.prefix(5).joined(separator: ", ")
            throw refusal("its schema \(schema) contains tables of another program: \(list)")
        }
        guard
            version <= versions.count
                || version == versions.count + 1 && readable <= versions.count
        else { throw newer }
        return version
    }

    private var newer: DownloadError {
        DownloadError(
            .directoryNotUsable,
            "the queue was written by a newer version of Pawl",
            advice: "use that version, or another database or schema",
            context: "opening the schema \(schema) of the database"
        )
    }

    private func refusal(_ reason: String) -> DownloadError {
        DownloadError(
            .directoryNotUsable,
            "the database cannot be used for the queue: \(reason)",
            advice:
                "create a database for Pawl alone (createdb -E UTF8 NAME), or name another "
                + "schema: add options=-csearch_path=NAME to the address",
            context: "opening the schema \(schema) of the database"
        )
    }

    /// Returns the value of a setting, and checks that this user may change it; `nil` if there is
    /// none, or if the table is that of another program.
    func setting(_ name: String, on session: PostgresConnection) throws -> String? {
        let columns = try session.query(
            """
            SELECT count(*) FROM pg_attribute
            WHERE attrelid = to_regclass('setting') AND attname IN ('name', 'value')
                AND atttypid = 'text'::regtype AND NOT attisdropped
            """,
            within: Self.time
        ).wait()
        guard try columns.first?.value(0) == 2 else { return nil }
        let result = try session.query(
            "SELECT value FROM setting WHERE name = $1 FOR UPDATE",
            [.text(name)],
            within: Self.time
        ).wait()
        return try result.first?.value(0)
    }

    private func upgrade(from version: Int, on session: PostgresConnection) throws {
        var statements: [String] = []
        if version == 0 {
            let found = try session.query(
                "SELECT to_regnamespace($1) IS NOT NULL",
                [.text(PostgresValue.identifier(schema))],
                within: Self.time
            ).wait()
            // A user who may not create schemas may use one that exists.
            if try found.first?.value(0) != true {
                statements.append("CREATE SCHEMA \(PostgresValue.identifier(schema))")
            }
        }
        statements += versions[version...]
        if version == 0 { statements.append(Self.identity) }
        statements.append(row(PostgresSchema.versionName, versions.count))
        statements.append(row(PostgresSchema.readableName, readableFrom))
        _ = try session.script(statements.joined(separator: ";\n"), within: Self.time).wait()
    }

    private static let identity = """
        INSERT INTO setting
        VALUES ('\(PostgresSchema.identityName)', replace(gen_random_uuid()::text, '-', ''))
        """

    private func row(_ name: String, _ value: Int) -> String {
        """
        INSERT INTO setting VALUES ('\(name)', '\(value)')
        ON CONFLICT (name) DO UPDATE SET value = excluded.value
        """
    }
}
