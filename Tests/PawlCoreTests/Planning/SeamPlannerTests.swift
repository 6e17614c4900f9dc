import FoundationEssentials
import PawlCore
import Testing

/// Downloads without a strong validator: what is asked for to compare, and what a difference means.
@Suite(.timeLimit(.minutes(1)))
struct SeamPlannerTests {
    private static let total: Int64 = 8 << 20
    private static let have: Int64 = 4 << 20

    private func settings(_ connections: Int) -> DownloadSettings {
        var settings = DownloadSettings()
        settings.connections = .fixed(connections)
        return settings
    }

    private func head(_ order: TransferOrder) -> ResponseHead {
        guard let range = order.range else {
            return ResponseHead(200, ["Content-Length": "\(Self.total)"])
        }
        let place = "bytes \(range.start)-\(range.end - 1)/\(Self.total)"
        return ResponseHead(206, ["Content-Range": place])
    }

    private var whole: ResponseHead { ResponseHead(200, ["Content-Length": "\(Self.total)"]) }

    private func resumed(_ connections: Int, have: Int64 = have) -> PlannerRun {
        PlannerRun(
            settings(connections),
            have: RangeSet(ByteRange(0, have)),
            of: Representation(total: Self.total)
        )
    }

    @Test func `a resume compares samples, and 64 KiB before what is new`() throws {
        var run = resumed(1)
        var samples: [Int64] = []
        for _ in 0..<Seam.samples {
            let order = try #require(run.newest)
            #expect(order.comparesBytes && order.isEndProven)
            #expect(order.end == order.start + 1)
            let range = try #require(order.range)
            #expect(range.start == max(0, order.start - Seam.leadBytes))
            #expect(range.end == order.end + Seam.tailBytes)
            samples.append(order.start)
            run.answer(order.id, head(order))
            run.end(order.id, at: order.end, .completed)
        }
        #expect(samples == samples.sorted())
        #expect(zip(samples, samples.dropFirst()).allSatisfy { $1 - $0 > Seam.tailBytes })
        let last = try #require(run.newest)
        #expect(last.start == Self.have && last.end == Self.total)
        #expect(last.range?.start == Self.have - Seam.leadBytes)
        #expect(!last.isEndProven)
    }

    private func answer(_ run: inout PlannerRun, bytes: Int) throws {
        let page = ResponseHead(200, ["Content-Length": "\(bytes)"])
        let order = try #require(run.newest)
        run.answer(order.id, page)
        if run.closed.contains(order.id) { run.end(order.id, at: order.start, .cancelled) }
    }

    @Test(arguments: [0, 19, 1 << 20])
    func `another length is believed when it was seen twice in a row`(bytes: Int) throws {
        var run = resumed(1)
        try answer(&run, bytes: bytes)
        #expect(run.planner.arrived.count > Self.have / 2)
        let refused = run.now
        run.waitToRetry()
        #expect(run.now - refused >= .seconds(1))
        try answer(&run, bytes: bytes)
        #expect(run.planner.arrived.isEmpty)
    }

    @Test func `two lengths that follow each other prove nothing`() throws {
        var run = resumed(1)
        for bytes in [0, 19, 0, 20] {
            try answer(&run, bytes: bytes)
            #expect(run.planner.arrived.count > Self.have / 2)
            run.waitToRetry()
        }
        let order = try #require(run.newest)
        run.answer(order.id, head(order))
        run.end(order.id, at: order.end, .completed)
        try answer(&run, bytes: 20)
        #expect(run.planner.arrived.count > Self.have / 2, "a good answer came between")
    }

    @Test func `a 416 with another length is no proof of a new version`() throws {
        var run = resumed(1)
        let gone = ResponseHead(416, ["Content-Range": "bytes */0"])
        run.answer(try #require(run.newest).id, gone)
        let order = try #require(run.newest)
        #expect(order.range == nil)
        #expect(run.planner.arrived.count > Self.have / 2)
        run.answer(order.id, whole)
        run.pass(.milliseconds(100), TransferSample(id: order.id, offset: Self.have + 1000))
        #expect(run.planner.arrived.count == Self.have + 1000)
    }

    private static let date = "Mon, 02 Jan 2023 00:00:00 GMT"

    /// A file of which a strong tag was pinned, which its server does not send any more.
    private func withoutTag(date: String) throws -> PlannerRun {
        var pinned = Representation(total: Self.total)
        pinned.entityTag = EntityTag(isWeak: false, opaque: "\"a\"")
        (pinned.lastModified, pinned.lastModifiedIsOld) = (Self.date, true)
        var run = PlannerRun(settings(1), have: RangeSet(ByteRange(0, Self.have)), of: pinned)
        let order = try #require(run.newest)
        #expect(!order.comparesBytes)
        var head = head(order)
        head.fields.append(HTTPField(name: "Last-Modified", value: date))
        run.answer(order.id, head)
        return run
    }

    @Test func `a tag that is no longer sent is replaced by comparing, if the date is the same`()
        throws
    {
        let run = try withoutTag(date: Self.date)
        #expect(run.error == nil)
        #expect(run.planner.representation?.entityTag == nil)
        #expect(run.planner.representation?.lastModified == Self.date)
        let order = try #require(run.newest)
        #expect(order.comparesBytes && order.end == order.start + 1, "a sample is fetched first")
        #expect(run.planner.arrived.count >= Self.have - Int64(Seam.samples))
    }

    @Test func `a tag that is no longer sent is missed, if the date is another`() throws {
        let run = try withoutTag(date: "Tue, 03 Jan 2023 00:00:00 GMT")
        #expect(run.newest?.comparesBytes == false)
    }

    @Test func `samples that are not fetched again yet stay on disk`() throws {
        var run = resumed(1)
        let order = try #require(run.newest)
        run.answer(order.id, head(order))
        run.end(order.id, at: order.start, .failed(TransferFailure(.connectionLost, "")))
        #expect(run.kept == RangeSet(ByteRange(0, Self.have)))
    }

    @Test func `a source is known by its URL, even if an older version hid less of it`() throws {
        let url = try #require(URL(string: "http://origin.example/disk.iso?token=secret"))
        let run = PlannerRun(
            settings(1),
            have: RangeSet(ByteRange(0, Self.have)),
            of: Representation(total: Self.total),
            from: url.absoluteString,
            url: url
        )
        #expect(try #require(run.newest).comparesBytes, "it starts over")
    }

    @Test func `few bytes are compared at their end alone`() throws {
        let run = resumed(1, have: 100_000)
        let order = try #require(run.newest)
        #expect(order.start == 100_000)
        #expect(order.range?.start == 100_000 - Seam.leadBytes)
    }

    @Test func `a piece too short to be compared is fetched again`() throws {
        let run = resumed(1, have: Seam.tailBytes - 1)
        let order = try #require(run.newest)
        #expect(order.start == 0 && order.range?.start == 0)
    }

    @Test func `with a strong validator nothing is compared`() throws {
        var pinned = Representation(total: Self.total)
        pinned.entityTag = EntityTag(isWeak: false, opaque: "\"a\"")
        let run = PlannerRun(settings(1), have: RangeSet(ByteRange(0, Self.have)), of: pinned)
        let order = try #require(run.newest)
        #expect(order.range == ByteRange(Self.have, Self.total))
        #expect(!order.comparesBytes)
    }

    @Test func `a split leaves a byte out until its neighbour can be compared`() throws {
        var run = PlannerRun(settings(2), of: Representation(total: Self.total))
        let first = try #require(run.newest)
        run.answer(first.id, head(first))
        let second = try #require(run.newest)
        #expect(second.id != first.id && second.start > 0)
        #expect(second.range?.start == second.start, "nothing is there to be compared with")
        #expect(run.ends[first.id]?.end == second.start - 1)
        run.answer(second.id, head(second))
        let there = second.start + Seam.tailBytes
        run.pass(.milliseconds(100), [TransferSample(id: second.id, offset: there - 1)])
        #expect(run.ends[first.id]?.isProven == false)
        run.pass(.milliseconds(100), [TransferSample(id: second.id, offset: there)])
        #expect(run.ends[first.id]?.end == second.start)
        #expect(run.ends[first.id]?.isProven == true)
    }

    /// It had brought more than it was left before it knew of that.
    @Test func `a transfer that passed its end has compared nothing there`() throws {
        var run = PlannerRun(settings(2), of: Representation(total: Self.total))
        let first = try #require(run.newest)
        run.answer(first.id, head(first))
        let second = try #require(run.newest)
        run.answer(second.id, head(second))
        let there = second.start + Self.total / 4
        run.pass(.milliseconds(100), [TransferSample(id: second.id, offset: there)])
        #expect(run.ends[first.id]?.isProven == true)
        run.end(first.id, at: second.start + 1, .stopped)
        run.pass(.seconds(2), [TransferSample(id: second.id, offset: there)])
        #expect(
            run.running.contains { $0.start == second.start - 1 && $0.end == second.start },
            "nothing proves the byte before the second one's"
        )
    }

    @Test func `a byte that was left out is fetched with both its sides`() throws {
        var run = PlannerRun(settings(2), of: Representation(total: Self.total))
        let first = try #require(run.newest)
        run.answer(first.id, head(first))
        let second = try #require(run.newest)
        run.answer(second.id, head(second))
        run.end(first.id, at: second.start - 1, .stopped)
        // What the second is to bring is not there yet, and the rest of its part can be split.
        #expect(run.newest.map { $0.start != second.start - 1 } == true)
        run.pass(.milliseconds(100), [TransferSample(id: second.id, offset: Self.total / 4 * 3)])
        for order in run.running where order.id != second.id {
            run.end(order.id, at: order.start, .failed(TransferFailure(.connectionLost, "")))
        }
        run.pass(.seconds(2), [TransferSample(id: second.id, offset: Self.total / 4 * 3)])
        let seam = try #require(run.newest)
        #expect(seam.start == second.start - 1 && seam.end == second.start)
        #expect(
            seam.range
                == ByteRange(seam.start - Seam.leadBytes, seam.end + Seam.tailBytes)
        )
    }

    @Test func `what differs starts over, then by one stream, then is an error`() throws {
        var run = resumed(2)
        run.tell(.seamDiffered(try #require(run.newest).id))
        endAll(&run)
        let whole = try #require(run.newest)
        #expect(whole.range == nil && whole.pinned == nil)
        #expect(run.log.contains { $0.contains("changed on the server") })
        run.answer(whole.id, head(whole))
        #expect(run.running.count == 2)
        run.tell(.seamDiffered(try #require(run.newest).id))
        endAll(&run)
        let stream = try #require(run.newest)
        run.answer(stream.id, head(stream))
        #expect(run.running.count == 1)
        run.tell(.seamDiffered(stream.id))
        #expect(run.error?.code == .keepsChanging)
    }

    @Test func `a stream goes on over what nobody has answered`() throws {
        var run = PlannerRun(settings(3), of: Representation(total: Self.total))
        let first = try #require(run.newest)
        run.answer(first.id, head(first))
        let others = run.running.filter { $0.id != first.id }
        try #require(others.count == 2)
        run.answer(others[1].id, whole)
        #expect(run.ends[first.id]?.end == Self.total)
        #expect(run.closed.contains(others[0].id))
        #expect(run.ends[others[0].id]?.end == others[0].start, "its answer may be on its way")
    }

    /// What it had brought was not known yet when the first was let go on over it.
    @Test func `a stream does not go on where another transfer still runs`() throws {
        var run = PlannerRun(settings(3), of: Representation(total: Self.total))
        let first = try #require(run.newest)
        run.answer(first.id, head(first))
        let others = run.running.filter { $0.id != first.id }
        try #require(others.count == 2)
        run.answer(others[0].id, head(others[0]))
        run.answer(others[1].id, whole)
        run.end(others[1].id, at: others[1].start, .cancelled)
        #expect(run.log.contains { $0.contains("one stream") })
        let end = try #require(run.ends[first.id]?.end)
        #expect(end < others[0].start)
        run.end(others[0].id, at: others[0].start, .failed(TransferFailure(.connectionLost, "")))
        #expect(run.ends[first.id]?.end == Self.total)
    }

    @Test func `a whole answer waits until nothing else writes`() throws {
        var run = resumed(4)
        let sample = try #require(run.newest)
        run.answer(sample.id, head(sample))
        run.end(sample.id, at: sample.end, .completed)
        let orders = run.running
        try #require(orders.count > 2)
        run.answer(orders[1].id, whole)
        #expect(Set(run.closed) == Set(orders.map(\.id)).subtracting([orders[1].id]))
        #expect(run.ends[orders[1].id] == nil, "the others may still have bytes on their way")
        endAll(&run)
        #expect(run.ends[orders[1].id]?.end == Self.total)
        #expect(run.running.map(\.id) == [orders[1].id])
    }

    private func endAll(_ run: inout PlannerRun) {
        for order in run.running where run.closed.contains(order.id) {
            run.end(order.id, at: order.start, .cancelled)
        }
    }
}
