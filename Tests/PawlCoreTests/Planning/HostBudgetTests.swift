import PawlCore
import Testing

import struct FoundationEssentials.URL

@Suite(.timeLimit(.minutes(5)))
struct HostBudgetTests {
    private let host = "mirror.example:443"

    @Test(arguments: [
        ("https://Mirror.example/a", "mirror.example:443"), ("s3://photos/a", "s3://photos"),
        ("http://10.0.0.1:8080", "10.0.0.1:8080"),
        ("http://[FD00::1]/a", "[fd00::1]:80"),
    ])
    func `a host consists of a name and a port`(url: String, name: String) throws {
        #expect(HostBudget.name(of: try #require(URL(string: url))) == name)
    }

    @Test func `a host gets a limited number of connections over all tickets`() {
        var budget = HostBudget(connectionsPerHost: 2)
        let answers = [
            budget.request(host, ticket: 1, isFirst: true, at: .zero),
            budget.request(host, ticket: 2, isFirst: true, at: .zero),
            budget.request(host, ticket: 3, isFirst: true, at: .zero),
            budget.request("other.example:443", ticket: 3, isFirst: true, at: .zero),
        ]
        #expect(answers == [true, true, false, true])
    }

    @Test func `a higher limit admits waiting tickets, and a lower limit ends nothing`() {
        var budget = HostBudget(connectionsPerHost: 1)
        for ticket: HostBudget.Ticket in 1...4 {
            _ = budget.request(host, ticket: ticket, isFirst: true, at: .zero)
        }
        budget.setLimit(connectionsPerHost: 3)
        #expect(budget.grants(at: .zero).map(\.ticket) == [2, 3])
        budget.setLimit(connectionsPerHost: 2)
        #expect(budget.transfers(with: host) == 3)
        budget.release(host)
        #expect(budget.grants(at: .zero).isEmpty)
        budget.release(host)
        #expect(budget.grants(at: .zero).map(\.ticket) == [4])
    }

    @Test func `tickets without a connection come before tickets with one`() {
        var budget = HostBudget(connectionsPerHost: 1)
        _ = budget.request(host, ticket: 1, isFirst: true, at: .zero)
        _ = budget.request(host, ticket: 2, isFirst: false, at: .zero)
        _ = budget.request(host, ticket: 3, isFirst: true, at: .zero)
        _ = budget.request(host, ticket: 4, isFirst: true, at: .zero)
        var order: [HostBudget.Ticket] = []
        for _ in 0..<3 {
            budget.release(host)
            order += budget.grants(at: .zero).map(\.ticket)
        }
        #expect(order == [3, 4, 2])
    }

    @Test func `a closed host opens at the given time`() {
        var budget = HostBudget(connectionsPerHost: 4)
        let opening = Moment.zero + .seconds(5)
        budget.close(host, until: opening)
        let isGranted = budget.request(host, ticket: 1, isFirst: true, at: .zero)
        #expect(!isGranted)
        #expect(budget.nextOpening == opening)
        let early = budget.grants(at: .zero + .seconds(4))
        #expect(early.isEmpty)
        let granted = budget.grants(at: opening)
        #expect(granted.map(\.ticket) == [1])
        #expect(budget.nextOpening == nil)
    }

    @Test func `the later of two closing times applies`() {
        var budget = HostBudget(connectionsPerHost: 4)
        budget.close(host, until: .zero + .seconds(9))
        budget.close(host, until: .zero + .seconds(3))
        let isGranted = budget.request(host, ticket: 1, isFirst: true, at: .zero + .seconds(5))
        #expect(!isGranted)
    }

    @Test func `a withdrawn ticket is granted nothing`() {
        var budget = HostBudget(connectionsPerHost: 1)
        _ = budget.request(host, ticket: 1, isFirst: true, at: .zero)
        _ = budget.request(host, ticket: 2, isFirst: true, at: .zero)
        budget.withdraw(2)
        budget.release(host)
        let granted = budget.grants(at: .zero)
        #expect(granted.isEmpty)
        let isNextGranted = budget.request(host, ticket: 3, isFirst: true, at: .zero)
        #expect(isNextGranted)
    }

    @Test func `a stream over a shared connection does not count as a connection`() {
        var budget = HostBudget(connectionsPerHost: 1)
        let early = budget.requestStream(host, at: .zero)
        budget.noteMultiplexing(host)
        let streams = (0..<3).map { _ in budget.requestStream(host, at: .zero) }
        let connection = budget.request(host, ticket: 1, isFirst: true, at: .zero)
        #expect([early] + streams + [connection] == [false, true, true, true, true])
        #expect(budget.transfers(with: host) == 4)
        for _ in 0..<3 { budget.releaseStream(host) }
        #expect(budget.transfers(with: host) == 1)
    }

    @Test func `streams have a limit and wait while the host is closed`() {
        var budget = HostBudget(connectionsPerHost: 1)
        budget.noteMultiplexing(host)
        let granted = (0..<1000).count { _ in budget.requestStream(host, at: .zero) }
        #expect(granted == 100)
        budget.releaseStream(host)
        budget.close(host, until: Moment(nanoseconds: 1_000))
        let early = budget.requestStream(host, at: .zero)
        let late = budget.requestStream(host, at: Moment(nanoseconds: 1_000))
        #expect([early, late] == [false, true])
    }
}
