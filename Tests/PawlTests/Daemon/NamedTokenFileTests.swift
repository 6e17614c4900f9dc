import Glibc
import Pawl
import PawlCore
import PawlTesting
import PawlWire
import Testing

@Suite(.timeLimit(.minutes(5)))
struct NamedTokenFileTests {
    private let folder: ScratchFolder
    private let file: NamedTokenFile

    init() throws {
        folder = try ScratchFolder()
        file = NamedTokenFile(path: folder.path("api-tokens"))
    }

    @Test func `a token is created, found again and revoked`() throws {
        #expect(try file.entries().isEmpty)
        let first = try file.add("browser", .add)
        let second = try file.add("monitor", .read)
        #expect(try file.entries() == [first, second])
        #expect(first.token != second.token)
        var status = stat()
        #expect(stat(folder.path("api-tokens"), &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        let stamp = file.stamp
        try file.revoke("browser")
        #expect(try file.entries() == [second])
        #expect(file.stamp != stamp)
        #expect(folder.list() == ["api-tokens"])
    }

    @Test(arguments: ["", "main", "a b", "a/b", "a\n", "ä", String(repeating: "a", count: 41)])
    func `an invalid or used name is refused`(name: String) throws {
        #expect(throws: DownloadError.self) { try file.add(name, .read) }
        #expect(throws: DownloadError.self) { try file.revoke(name) }
        _ = try file.add("a.b-c_1", .read)
        #expect(throws: DownloadError.self) { try file.add("a.b-c_1", .manage) }
    }

    /// Two programs that add a token at the same time would each write what they have read.
    @Test func `no token is lost when many are created at once`() async throws {
        let file = file
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 { group.addTask { _ = try file.add("t\(number)", .read) } }
            try await group.waitForAll()
        }
        #expect(try file.entries().count == 20)
    }

    @Test func `a token file that others can read, or that is invalid, admits nobody`() throws {
        let entry = try file.add("a", .manage)
        try folder.write(
            "api-tokens",
            "a root \(entry.token)\nb manage short\nc manage\n\nd read \(entry.token)\n"
        )
        chmod(folder.path("api-tokens"), 0o600)
        #expect(try file.entries().map(\.name) == ["d"])
        chmod(folder.path("api-tokens"), 0o640)
        #expect(throws: DownloadError.self) { try file.entries() }
    }

    @Test func `the cookie of a token differs from the token and is always the same`() throws {
        let token = RandomText.make()
        let cookie = try #require(AccessTokenFile.cookie(forToken: token))
        #expect(cookie.utf8.count == RandomText.length)
        #expect(cookie != token)
        #expect(AccessTokenFile.cookie(forToken: token) == cookie)
        #expect(AccessTokenFile.cookie(forToken: RandomText.make()) != cookie)
        #expect(RandomText.text(of: Array("Pawl!".utf8)) == "UGF3bCE")
    }
}
