import struct FoundationEssentials.URL
import PawlCore
import PawlEngine
import Testing

/// Whether the URLs of a finished file may need a login.
@Suite(.timeLimit(.minutes(5)))
struct RequestedHostsTests {
    private func planned(_ text: String, source: Int) throws -> PlannedTransfer {
        let url = try #require(URL(string: text))
        var planned = PlannedTransfer(
            id: TransferID(1),
            url: url,
            range: nil,
            pinned: nil,
            start: 0,
            end: 1
        )
        planned.source = source
        return planned
    }

    @Test func `the hosts to which a source has led may have logins`() throws {
        let hosts = RequestedHosts()
        hosts.note(try planned("http://one.example/a", source: 0))
        hosts.note(try planned("http://cdn.example/a", source: 0))
        hosts.note(try planned("http://two.example/a", source: 1))
        let logins = PasswordFileLogins("machine cdn.example login me password x1y2")
        #expect(hosts.mayHaveLogin(0, in: logins))
        #expect(!hosts.mayHaveLogin(1, in: logins) && !hosts.mayHaveLogin(2, in: logins))
        #expect(!hosts.mayHaveLogin(0, in: .none))
    }

    @Test func `a run without a request does not know where an earlier one was led`() {
        let hosts = RequestedHosts()
        let logins = PasswordFileLogins("machine cdn.example login me password x1y2")
        #expect(hosts.mayHaveLogin(0, in: logins) && hosts.mayHaveLogin(1, in: .unknown))
        #expect(!hosts.mayHaveLogin(0, in: .none))
    }
}
