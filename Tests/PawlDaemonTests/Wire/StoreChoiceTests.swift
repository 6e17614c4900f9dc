import PawlCore
import PawlWire
import Testing

@Suite(.timeLimit(.minutes(5)))
struct StoreChoiceTests {
    @Test(arguments: [
        "postgres://pawl@db.example/pawl", "postgresql://db.example",
        "host=/run/postgresql dbname=a",
        "service=pawl", "postgres:///pawl?host=/run/postgresql",
    ])
    func `an address of PostgreSQL is taken as it is`(text: String) throws {
        #expect(try StoreChoice(parsing: text) == .postgres(text))
    }

    @Test func `a word stands for the file`() throws {
        #expect(try StoreChoice(parsing: "sqlite") == .file)
        #expect(try StoreChoice(parsing: "SQLite") == .file)
    }

    @Test(arguments: [
        "", "queue.sqlite", "/var/lib/pawl", "mysql://me:tiger@db.example/a?b=c",
        "postgre://me:tiger@db.example/a?b=c",
    ])
    func `any other text is refused and not repeated`(text: String) {
        let error = #expect(throws: ValueError.self) { try StoreChoice(parsing: text) }
        #expect(error?.reason.contains("tiger") == false)
    }

    @Test(arguments: [
        ("postgres://me:tiger@db.example/a", true), ("postgres://me@db.example/a", false),
        ("postgres://me@db.example/a?password=tiger", true), ("postgres://[::1]:5432/a", false),
        ("host=db.example password=tiger", true), ("host=db.example user=me", false),
        ("host=db.example PASSWORD='a b'", true), ("service=pawl", false),
        ("postgres://db.example/a?sslpassword=tiger", true),
        ("postgres://a.example:1,b.example:2/x", false),
    ])
    func `a password in an address is found`(address: String, hasPassword: Bool) {
        #expect(StoreChoice.hasPassword(address) == hasPassword)
    }
}
