import PawlDaemon
import PawlPostgres
import Testing

/// What the store decides without a database.
@Suite(.timeLimit(.minutes(5)))
struct PostgresDecisionTests {
    @Test(arguments: [
        ("SELECT 1", "SELECT 1"),
        ("SELECT * FROM t WHERE a = ? AND b = ?", "SELECT * FROM t WHERE a = $1 AND b = $2"),
        ("a = ?1 OR b = ?12 OR c = ?1", "a = $1 OR b = $12 OR c = $1"),
        ("a = '?' AND b = 'it''s ?' AND c = ?", "a = '?' AND b = 'it''s ?' AND c = $1"),
        (#"SELECT "?" -- why?"# + "\n?", #"SELECT "?" -- why?"# + "\n$1"),
        ("'?", "'?"),
    ])
    func `parameters get the form of PostgreSQL outside of quotes`(sql: String, text: String) {
        #expect(StatementTexts.converted(sql) == text)
        let texts = StatementTexts()
        #expect(texts.text(of: sql, isKept: true) == text)
        #expect(texts.text(of: sql, isKept: true) == text)
        #expect(texts.text(of: sql, isKept: false) == text)
    }

    @Test
    func `a conflict repeats the transaction up to five times, each later than the one before`() {
        var retry = TransactionRetry()
        let conflict = PostgresError(.conflict, "deadlock")
        let delays = (0..<6).map { _ in retry.delay(after: conflict, random: 1) }
        let expected = [20, 40, 80, 160, 320].map { Duration.milliseconds($0) }
        #expect(delays == expected + [nil])
        var other = TransactionRetry()
        #expect(other.delay(after: conflict, random: 0) == .zero)
    }

    @Test func `a broken connection repeats the transaction once, another error never`() {
        var retry = TransactionRetry()
        let broken = PostgresError(.unreachable, "broken")
        #expect(retry.delay(after: broken, random: 1) == .zero)
        #expect(retry.delay(after: broken, random: 1) == nil)
        for kind in [PostgresError.Kind.diskFull, .constraint, .timedOut, .locked] {
            #expect(retry.delay(after: PostgresError(kind, "a"), random: 1) == nil)
        }
    }

    @Test func `without ICU, a search uses the locale of the database`() {
        let text = PostgresDialect(hasICU: false).contains("Ä", in: ["name"])
        #expect(text.sql.contains(#"COLLATE "default""#))
        #expect(!text.sql.contains("icu"))
        #expect(text.values == [.text("ä")])
        #expect(PostgresDialect().contains("Ä", in: ["name"]).sql.contains(#"COLLATE "und-x-icu""#))
    }

    @Test func `a pattern becomes a regular expression`() {
        let condition = PostgresDialect().matches("[a]*.is?_ä", in: "name")
        #expect(condition.sql == "name ~ ?")
        #expect(condition.values == [.text(#"^\[a\].*\.is._ä$"#)])
    }
}
