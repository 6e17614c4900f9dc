import FoundationEssentials
import PawlDaemon
import PawlTesting
import PawlWire
import Testing

/// The tokens and login codes that all daemons of a database share.
@Suite(.timeLimit(.minutes(5)))
struct TokenTableTests {
    private func token(_ name: String, _ scope: TokenScope, _ number: UInt8) -> TokenTable.Row {
        TokenTable.Row(name, scope, digest: [number, 1], cookieDigest: [number, 2])
    }

    @Test func `tokens are added, listed and revoked, and a name is used once`() async throws {
        let store = try await PostgresQueue().open()
        let (reader, adder) = (token("reader", .read, 1), token("adder", .add, 2))
        try store.write { (transaction) throws in
            #expect(try transaction.tokens.add(reader))
            #expect(try transaction.tokens.add(adder))
            #expect(try !transaction.tokens.add(token("reader", .manage, 3)))
        }
        #expect(try await store.read { try $0.tokens.all() } == [reader, adder])
        try store.write { (transaction) throws in
            #expect(try transaction.tokens.remove("adder"))
            #expect(try !transaction.tokens.remove("adder"))
        }
        #expect(try await store.read { try $0.tokens.all() } == [reader])
        try store.close()
    }

    @Test func `the main token is set once, replaced, and not listed or revoked`() async throws {
        let store = try await PostgresQueue().open()
        func main() async throws -> [String] {
            try await store.read { try $0.tokens.main().map { [$0.token, $0.cookie] } ?? [] }
        }
        #expect(try await main().isEmpty)
        for name in ["a", "b"] {
            try store.write { transaction in
                try transaction.tokens.setMain(token: name, cookie: name + "c", ifNone: true)
            }
        }
        #expect(try await main() == ["a", "ac"])
        try store.write { transaction in
            try transaction.tokens.setMain(token: "n", cookie: "nc")
            #expect(try !transaction.tokens.remove(TokenName.main))
            #expect(try transaction.tokens.all().isEmpty)
        }
        #expect(try await main() == ["n", "nc"])
        try store.close()
    }

    @Test func `a login code works once, until it expires`() async throws {
        let store = try await PostgresQueue().open()
        func redeems(_ code: UInt8) throws -> Bool {
            try store.write { try $0.tokens.redeemCode([code]) }
        }
        try store.write { transaction in
            let now = transaction.now
            try transaction.tokens.addCode([1], until: now.addingTimeInterval(60))
            try transaction.tokens.addCode([2], until: now.addingTimeInterval(-60))
        }
        #expect(try redeems(1))
        #expect(try !redeems(1))
        #expect(try !redeems(2))
        #expect(try !redeems(3))
        try store.close()
    }

    @Test func `the number of login codes is bounded, and the newest are kept`() async throws {
        let queue = try await PostgresQueue()
        let store = try queue.open()
        let count = TokenTable.mostCodes + 3
        try store.write { transaction in
            for number in 1...count {
                let end = transaction.now.addingTimeInterval(60 + Double(number))
                try transaction.tokens.addCode(
                    [UInt8(number / 256), UInt8(number % 256)],
                    until: end
                )
            }
        }
        #expect(
            try await queue.run("SELECT count(*) FROM loginCode") == "\(TokenTable.mostCodes)\n"
        )
        #expect(try store.write { try $0.tokens.redeemCode([0, 3]) } == false)
        #expect(try store.write { try $0.tokens.redeemCode([0, 4]) })
        try store.close()
    }
}
