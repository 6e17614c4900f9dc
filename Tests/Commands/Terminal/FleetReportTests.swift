import FoundationEssentials
import PawlCLI
import PawlCore
import PawlWire
import Testing

/// The tables of `pawl fleet`.
@Suite(.timeLimit(.minutes(5)))
struct FleetReportTests {
    private func node(
        _ name: String,
        _ state: WireNode.State,
        _ change: (inout WireNode) -> Void = { _ in }
    ) -> WireNode {
        var node = WireNode(
            name: name,
            version: "0.1.0",
            state: state,
            startedAt: Date(timeIntervalSince1970: 0)
        )
        change(&node)
        return node
    }

    private var fleet: WireFleet {
        WireFleet(
            isShared: true,
            nodes: [
                node("alpha", .alive) { node in
                    (node.isSelf, node.downloads, node.running) = (true, 120, 5)
                    (node.bytesPerSecond, node.connections) = (12 << 20, 20)
                    node.lagSeconds = 2.04
                },
                node("beta\u{1B}", .lost) { $0.lagSeconds = 75 },
            ],
            counts: ["waiting": 1000, "running": 5, "failed": 3],
            hosts: [
                WireHostQueue("a.example", counts: ["waiting": 900, "running": 5]),
                WireHostQueue(nil, counts: ["waiting": 100]),
            ]
        )
    }

    @Test func `the nodes and the queue are shown`() {
        let lines = FleetReport.fleet(fleet).split(separator: "\n").map(String.init)
        let cells = lines.map { $0.split(separator: " ").joined(separator: " ") }
        #expect(cells.count == 7, "\(cells)")
        #expect(cells.first == "NODE STATE TAKEN RUNNING SPEED CONN LEASE VERSION")
        #expect(
            cells.dropFirst().first == "alpha (asked) alive 120 5 12.0 MiB/s 20 2.0 s ago 0.1.0"
        )
        #expect(cells.dropFirst(2).first?.hasSuffix("lost 0 0 - - 1:15 ago 0.1.0") == true)
        #expect(!cells.joined().contains("\u{1B}"))
        #expect(cells.dropFirst(3).first?.hasPrefix("Queue: ") == true)
        #expect(
            cells.suffix(3) == ["WAITING RUNNING HOST", "900 5 a.example", "100 0 (other hosts)"]
        )
    }

    @Test func `lines are shortened to a narrow terminal`() {
        let text = FleetReport.fleet(fleet, width: 30)
        for line in text.split(separator: "\n") where !line.hasPrefix("Queue") {
            #expect(line.count <= 30, "\(line)")
        }
    }

    @Test func `failures and leftovers are shown`() {
        var group = WireFailureGroup(.notFound, host: "a.example", download: 7, title: "gone")
        group.count = 431
        let rest = WireFailureGroup(.network, host: nil, download: 9, title: "no route")
        let failures = FleetReport.failures(WireFailures([group, rest]))
        #expect(
            failures == """
                KIND       COUNT  HOST           LAST  ERROR
                not-found  431    a.example      7     gone
                network    1      (other hosts)  9     no route

                """
        )
        #expect(FleetReport.failures(WireFailures([])) == "No failures.\n")
        var upload = WireLeftover(download: 3, object: "s3://photos/a", upload: "u")
        (upload.parts, upload.bytes, upload.ageSeconds) = (2, 16 << 20, 3600)
        upload.abortedInSeconds = 6 * 86_400
        let foreign = WireForeignUpload(object: "s3://photos/b", upload: "v", begun: nil)
        let bucket = WireBucketUploads("s3://photos/", uploads: [foreign], hasMore: true)
        let leftovers = FleetReport.leftovers([upload], [bucket])
        #expect(
            leftovers == """
                DOWNLOAD  STATE    AGE      PARTS  SIZE      ABORTED    OBJECT
                3         removed  1:00:00  2      16.0 MiB  in 6d 00h  s3://photos/a

                In s3://photos/, of no download in the queue:
                BEGUN  OBJECT
                -      s3://photos/b
                ... and more

                """
        )
    }
}
