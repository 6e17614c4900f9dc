import PawlPostgres
import Testing

@Suite(.timeLimit(.minutes(5)))
struct PostgresAddressTests {
    @Test(arguments: [
        "postgres://pawl:top-secret@db.example:5433/queue?sslpassword=other-secret",
        "postgresql://pawl:top%2Dsecret@db.example:5433/queue",
        "host=db.example port=5433 user=pawl password=top-secret dbname=queue",
        "host=db.example port=5433 user=pawl password='top-secret x' dbname=queue",
    ]) func `logs show an address without its secrets`(text: String) throws {
        let address = try PostgresAddress(text)
        #expect(address.hasPassword)
        #expect(!address.redacted.contains("secret"))
        #expect(!address.description.contains("secret"))
        for part in ["host=db.example", "port=5433", "user=pawl", "dbname=queue"] {
            #expect(address.redacted.contains(part))
        }
    }

    @Test func `an address without a password has none`() throws {
        let address = try PostgresAddress("postgres://pawl@/queue?host=/run/postgresql")
        #expect(!address.hasPassword)
        #expect(address.redacted.contains("host=/run/postgresql"))
    }

    @Test func `an empty address means the database of the environment`() throws {
        #expect(try PostgresAddress("").redacted.isEmpty)
        #expect(try PostgresAddress("").description == "the default database")
    }

    @Test func `values with spaces and quotes are shown as libpq reads them`() throws {
        let address = try PostgresAddress(#"host='a b' dbname='c\'d\\e'"#)
        for part in ["host='a b'", #"dbname='c\'d\\e'"#] {
            #expect(address.redacted.contains(part))
        }
        let again = try PostgresAddress(address.redacted)
        #expect(again.redacted == address.redacted)
    }

    @Test(arguments: [
        "queue", "postgre://pawl:top-secret@db/queue", "http://pawl:top-secret@db/queue",
        "host=db password=top-secret oops", "postgres://pawl:top%zzsecret@db/queue",
        "postgres://pawl:top-secret@db/queue?nothing=1", "host=db password='top-secret",
        "host=db colour=red", "host=a\u{0}b",
    ]) func `an address that cannot be read is refused without showing it`(text: String) {
        let error = #expect(throws: PostgresError.self) { try PostgresAddress(text) }
        #expect(error?.kind == .badAddress)
        #expect(error?.description.contains("secret") == false)
        #expect(error?.advice.contains("postgres://USER@HOST:PORT/DATABASE") == true)
    }
}
