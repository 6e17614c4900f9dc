import PawlCore
import Testing

/// Text files that several processes change.
@Suite(.timeLimit(.minutes(5)))
struct SharedFileContentTests {
    private func line(_ host: String) -> String { "\(host).example \"unlimited\"\n" }

    private func list(_ hosts: String...) -> SecureHostList {
        SecureHostList(hosts.map(line).joined(), at: 0)
    }

    @Test func `a file gets only the changes of this process`() throws {
        let text = try #require(
            SecureHostList.text(
                changing: line("removed") + line("theirs"),
                from: list("removed"),
                to: list("mine"),
                at: 0
            )
        )
        #expect(SecureHostList(text, at: 0) == list("theirs", "mine"))
    }

    @Test func `a change that the file contains already is not written`() {
        let text = SecureHostList.text(changing: line("a"), from: list(), to: list("a"), at: 0)
        #expect(text == nil)
    }
}
