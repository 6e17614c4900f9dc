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

    @Test func `hosts that share connections are forgotten for newer ones`() {
        var budget = HostBudget(connectionsPerHost: 1)
        for number in 0..<2_000 { budget.noteMultiplexing("h\(number).example:443") }
        #expect(budget.uses(at: .zero).isEmpty)
        let isShared = budget.requestStream("h1999.example:443", at: .zero)
        #expect(isShared)
        #expect(budget.uses(at: .zero).map(\.host) == ["h1999.example:443"])
    }

    // MARK: - Hosts with a limit

    /// A budget with connections of as many downloads, of which the host serves some and has refused
    /// the others.
    private func refusing(_ count: Int, serving: Int, at now: Moment = .zero) -> HostBudget {
        var budget = HostBudget(connectionsPerHost: 100)
        for ticket in 1...UInt64(count) {
            _ = budget.request(host, ticket: ticket, isFirst: true, at: now)
        }
        budget.answered(host)
        for _ in serving..<count {
            _ = budget.refused(host, at: now)
            budget.release(host)
        }
        return budget
    }

    private func first(_ budget: inout HostBudget, _ ticket: UInt64, _ seconds: Int) -> Bool {
        budget.request(host, ticket: ticket, isFirst: true, at: .zero + .seconds(seconds))
    }

    @Test func `a download waits while the host serves as many as it allows`() {
        var budget = refusing(8, serving: 3)
        let waits = !first(&budget, 21, 1)
        #expect(waits)
        let isLater = budget.request(host, ticket: 1, isFirst: false, at: .zero)
        #expect(!isLater, "it must not overtake the one that waits")
        budget.release(host)
        #expect(budget.grants(at: .zero + .seconds(1)).map(\.ticket) == [21, 1])
    }

    @Test func `the limit is kept while refused downloads wait to try again`() {
        var budget = refusing(8, serving: 2)
        for _ in 0..<2 { budget.release(host) }
        #expect(budget.uses(at: .zero).isEmpty)
        let areOpened = (21...24).map { first(&budget, $0, 1) }
        #expect(areOpened == [true, true, false, false])
    }

    @Test func `a limit is forgotten after a while without use`() {
        var budget = refusing(8, serving: 2)
        for _ in 0..<2 { budget.release(host) }
        let areOpened = (21...28).map { first(&budget, $0, 300) }
        #expect(!areOpened.contains(false))
    }

    @Test func `one more is tried after a while, and later if that is refused`() {
        var budget = refusing(8, serving: 3)
        _ = first(&budget, 21, 1)
        _ = first(&budget, 22, 1)
        #expect(budget.nextOpening == .zero + .seconds(2))
        #expect(budget.grants(at: .zero + .seconds(2)).map(\.ticket) == [21])
        let isSurplus = budget.refused(host, at: .zero + .seconds(2))
        #expect(isSurplus)
        budget.release(host)
        #expect(budget.grants(at: .zero + .seconds(2)).isEmpty)
        #expect(budget.nextOpening == .zero + .seconds(6))
        #expect(budget.grants(at: .zero + .seconds(6)).map(\.ticket) == [22])
        // It was served, so that the next trial comes soon.
        _ = first(&budget, 23, 7)
        #expect(budget.grants(at: .zero + .seconds(10)).map(\.ticket) == [23])
        _ = first(&budget, 24, 11)
        #expect(budget.grants(at: .zero + .seconds(12)).map(\.ticket) == [24])
    }

    @Test func `no time is named while the user's limit is the lower one`() {
        var budget = refusing(8, serving: 3)
        budget.setLimit(connectionsPerHost: 2)
        _ = first(&budget, 21, 1)
        #expect(budget.nextOpening == nil)
    }

    @Test func `a host with a limit may notice late that connections have ended`() {
        var budget = refusing(8, serving: 1)
        for ticket: UInt64 in 21...22 { _ = first(&budget, ticket, 1) }
        budget.release(host)
        #expect(budget.grants(at: .zero + .seconds(1)).map(\.ticket) == [21])
        let isExcused = budget.refused(host, at: .zero + .seconds(1))
        budget.release(host)
        #expect(budget.nextOpening == .zero + .milliseconds(1250))
        #expect(budget.grants(at: .zero + .milliseconds(1250)).map(\.ticket) == [22])
        let again = budget.refused(host, at: .zero + .seconds(2))
        #expect([isExcused, again] == [true, false], "it has served nothing between them")
    }

    @Test func `a refusal is not a limit unless the host serves others`() {
        var budget = HostBudget(connectionsPerHost: 100)
        _ = first(&budget, 1, 0)
        budget.answered(host)
        let alone = budget.refused(host, at: .zero)
        _ = first(&budget, 2, 0)
        let unanswered = budget.refused(host, at: .zero)
        budget.answered(host)
        budget.broke(host)
        let broken = budget.refused(host, at: .zero)
        budget.answered(host)
        let surplus = budget.refused(host, retryAfter: .seconds(60), at: .zero)
        #expect([alone, unanswered, broken, surplus] == [false, false, false, true])
        _ = first(&budget, 3, 1)
        #expect(budget.nextOpening == .zero + .seconds(60))
    }
}
