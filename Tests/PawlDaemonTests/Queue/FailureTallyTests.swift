import PawlCore
import PawlDaemon
import PawlWire
import Testing

@Suite(.timeLimit(.minutes(5)))
struct FailureTallyTests {
    private func failure(
        _ id: Int64,
        _ kind: ErrorCode,
        _ host: String
    ) -> FailureTable.Failure {
        .init(download: id, kind: kind, host: host, title: "title \(id)")
    }

    @Test func `failures are counted by kind and host, the largest number first`() {
        var tally = FailureTally()
        tally.add(failure(1, .network, "b"))
        tally.add(failure(2, .notFound, "a"))
        tally.add(failure(3, .notFound, "a"))
        tally.add(failure(4, .notFound, "b"))
        let groups = tally.failures.failures
        #expect(groups.map(\.kind) == [.notFound, .network, .notFound])
        #expect(groups.map(\.host) == ["a", "b", "b"])
        #expect(groups.map(\.count) == [2, 1, 1])
        #expect(groups.map(\.download) == [3, 1, 4])
        #expect(groups.first?.title == "title 3")
    }

    @Test func `the failures of too many hosts are counted together`() {
        var tally = FailureTally(mostGroups: 2)
        for id in 1...100 as ClosedRange<Int64> { tally.add(failure(id, .network, "host\(id)")) }
        tally.add(failure(101, .network, "host1"))
        tally.add(failure(102, .notFound, "host1"))
        let groups = tally.failures.failures
        #expect(groups.map(\.count) == [98, 2, 1, 1])
        #expect(groups.map(\.host) == [nil, "host1", "host2", nil])
        #expect(groups.map(\.kind) == [.network, .network, .network, .notFound])
        #expect(groups.first?.download == 100)
    }
}
