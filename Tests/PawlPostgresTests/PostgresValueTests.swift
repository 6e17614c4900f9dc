import PawlPostgres
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct PostgresValueTests {
    private func roundTrip<Value: PostgresDecodable>(
        _ value: PostgresValue,
        _ type: String,
        on connection: PostgresConnection
    ) async throws -> (parameter: Value, literal: Value) {
        let parameter = try await connection.value("SELECT $1::\(type)", [value], as: Value.self)
        let script = "SELECT \(value.literal)::\(type)"
        let results = try await connection.script(script, within: PostgresScene.time).value
        guard let row = results.last?.first else { throw PostgresError(.failed, "no row") }
        return (parameter, try row.value(0))
    }

    @Test(arguments: [0, 1, -1, .max, .min] as [Int64])
    func `integers of 64 bits survive`(value: Int64) async throws {
        let connection = try await PostgresScene().connect()
        let found: (Int64, Int64) = try await roundTrip(.integer(value), "bigint", on: connection)
        #expect(found == (value, value))
    }

    @Test(arguments: [0.1, -0.0, .infinity, -.infinity, .leastNonzeroMagnitude, 1e300] as [Double])
    func `numbers survive bit by bit`(value: Double) async throws {
        let connection = try await PostgresScene().connect()
        let type = "double precision"
        let found: (Double, Double) = try await roundTrip(.real(value), type, on: connection)
        #expect(found.0.bitPattern == value.bitPattern)
        #expect(found.1.bitPattern == value.bitPattern)
    }

    @Test(arguments: [
        "", " ", "a'b''c", #"back\slash\"#, "\"quoted\"", "ünïcode 🦆 漢字", "\t\n\r\u{1}", "NULL",
        "\\N",
        "e\u{301}'",
    ]) func `texts survive`(value: String) async throws {
        let connection = try await PostgresScene().connect()
        let found: (String, String) = try await roundTrip(.text(value), "text", on: connection)
        #expect(Array(found.0.utf8) == Array(value.utf8))
        #expect(Array(found.1.utf8) == Array(value.utf8))
    }

    @Test(arguments: [[], [0], Array(0...255), Array(repeating: 0, count: 100_000)] as [[UInt8]])
    func `bytes survive`(value: [UInt8]) async throws {
        let connection = try await PostgresScene().connect()
        let found: ([UInt8], [UInt8]) = try await roundTrip(.bytes(value), "bytea", on: connection)
        #expect(found.0 == value)
        #expect(found.1 == value)
    }

    @Test func `NULL and truth values survive`() async throws {
        let connection = try await PostgresScene().connect()
        let null: (String?, String?) = try await roundTrip(.null, "text", on: connection)
        #expect(null == (nil, nil))
        let bytes: ([UInt8]?, [UInt8]?) = try await roundTrip(.null, "bytea", on: connection)
        #expect(bytes == (nil, nil))
        for value in [true, false] {
            let found: (Bool, Bool) = try await roundTrip(
                .boolean(value),
                "boolean",
                on: connection
            )
            #expect(found == (value, value))
        }
    }

    @Test func `text with U+0000 is refused before it is sent`() async throws {
        let connection = try await PostgresScene().connect()
        let text = PostgresValue.text("a\u{0}b")
        #expect(throws: PostgresError.self) { try connection.send("SELECT $1::text", [text]) }
        let refused = await connection.failure("SELECT $1::text", [text])
        #expect(refused?.kind == .unusableValue)
        #expect(refused?.state == nil)
        #expect(throws: PostgresError.self) { try PostgresCopy.line([text]) }
        let script = await error {
            try await connection.script("SELECT 'a\u{0}b'", within: PostgresScene.time).value
        }
        #expect(script?.kind == .unusableValue)
        #expect(try await connection.value("SELECT 1", as: Int.self) == 1)
    }

    @Test func `more parameters than the protocol has room for are refused`() async throws {
        let connection = try await PostgresScene().connect()
        let values = [PostgresValue](repeating: .null, count: 65_536)
        let refused = await connection.failure("SELECT 1", values)
        #expect(refused?.message.contains("65536 parameters") == true)
    }

    @Test func `columns are found by name in any case, and by index`() async throws {
        let connection = try await PostgresScene().connect()
        let result = try await connection.run(
            #"SELECT 1 AS lastEvent, 2 AS "Quoted", NULL AS none"#
        )
        let row = try #require(result.first)
        #expect(try row.value("lastEvent", as: Int.self) == 1)
        #expect(try row.value("lastevent", as: Int.self) == 1)
        #expect(try row.value("Quoted", as: Int.self) == 2)
        #expect(try row.value(1, as: Int.self) == 2)
        #expect(throws: PostgresError.self) { try row.value("missing", as: Int.self) }
        #expect(throws: PostgresError.self) { try row.value(3, as: Int.self) }
        #expect(throws: PostgresError.self) { try row.value("none", as: Int.self) }
        #expect(throws: PostgresError.self) { try row.value("lastEvent", as: Bool.self) }
    }

    @Test func `numbers of changed rows are reported`() async throws {
        let connection = try await PostgresScene().connect()
        try await connection.run("CREATE TABLE t (id bigint)")
        #expect(try await connection.run("INSERT INTO t VALUES (1), (2), (3)").affectedRows == 3)
        #expect(try await connection.run("UPDATE t SET id = 9 WHERE id > 1").affectedRows == 2)
        #expect(try await connection.run("SELECT * FROM t").rowCount == 3)
        #expect(try await connection.run("TRUNCATE t").affectedRows == 0)
    }

    @Test func `settings of the database do not change how values are read`() async throws {
        let scene = try await PostgresScene()
        let admin = scene.connect()
        for line in ["bytea_output = 'escape'", "standard_conforming_strings = off"] {
            try await admin.run("ALTER DATABASE \(scene.database) SET \(line)")
        }
        let connection = scene.connect()
        let found: ([UInt8], [UInt8]) = try await roundTrip(
            .bytes([0, 92, 255]),
            "bytea",
            on: connection
        )
        #expect(found == ([0, 92, 255], [0, 92, 255]))
        let text: (String, String) = try await roundTrip(.text(#"\'\"#), "text", on: connection)
        #expect(text == (#"\'\"#, #"\'\"#))
    }
}
