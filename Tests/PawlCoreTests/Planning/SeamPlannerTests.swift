import FoundationEssentials
import PawlCore
import Testing

/// Tests of downloads without a strong validator: which bytes they compare and how they react.
@Suite(.timeLimit(.minutes(5)))
struct SeamPlannerTests {
    private static let total: Int64 = 8 << 20
    private static let have: Int64 = 4 << 20

    private func settings(_ connections: Int) -> DownloadSettings {
        var settings = DownloadSettings()
        settings.connections = .fixed(connections)
        return settings
    }

    private func head(_ planned: PlannedTransfer) -> ResponseHead {
        guard let range = planned.range else {
            return ResponseHead(200, ["Content-Length": "\(Self.total)"])
        }
        let contentRange = "bytes \(range.start)-\(range.end - 1)/\(Self.total)"
        return ResponseHead(206, ["Content-Range": contentRange])
    }

    private var whole: ResponseHead { ResponseHead(200, ["Content-Length": "\(Self.total)"]) }

    private func resumed(_ connections: Int, have: Int64 = have) -> PlannerRun {
        PlannerRun(
            settings(connections),
            have: RangeSet(ByteRange(0, have)),
            of: Representation(total: Self.total)
        )
    }

    @Test func `a resume compares samples and the 64 KiB before the new bytes`() throws {
        var run = resumed(1)
        var samples: [Int64] = []
        for _ in 0..<Seam.samples {
            let planned = try #require(run.newest)
            #expect(planned.comparesBytes && planned.isEndProven)
            #expect(planned.end == planned.start + 1)
            let range = try #require(planned.range)
            #expect(range.start == max(0, planned.start - Seam.leadBytes))
            #expect(range.end == planned.end + Seam.tailBytes)
            samples.append(planned.start)
            run.answer(planned.id, head(planned))
            run.end(planned.id, at: planned.end, .completed)
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
        let planned = try #require(run.newest)
        run.answer(planned.id, page)
        if run.closed.contains(planned.id) { run.end(planned.id, at: planned.start, .cancelled) }
    }

    @Test(arguments: [0, 19, 1 << 20])
    func `another length is accepted when two whole responses in a row report it`(bytes: Int)
        throws
    {
        var run = resumed(1)
        // The first ones answer a range, and may be a part of the file.
        for isRanged in [true, true, false] {
            #expect((try #require(run.newest).range != nil) == isRanged)
            try answer(&run, bytes: bytes)
            #expect(run.planner.arrived.count > Self.have / 2)
            let refused = run.now
            run.waitToRetry()
            #expect(run.now - refused >= .seconds(1))
        }
        try answer(&run, bytes: bytes)
        #expect(run.planner.arrived.isEmpty)
    }

    @Test func `two different lengths in a row prove nothing`() throws {
        var run = resumed(1)
        for bytes in [0, 19, 0, 20] {
            try answer(&run, bytes: bytes)
            #expect(run.planner.arrived.count > Self.have / 2)
            run.waitToRetry()
        }
        let planned = try #require(run.newest)
        #expect(planned.range == nil)
        run.answer(planned.id, head(planned))
        #expect(run.planner.arrived.count == Self.have)
    }

    @Test func `a correct response separates two of another length`() throws {
        var run = resumed(1)
        for _ in 0..<2 {
            try answer(&run, bytes: 20)
            run.waitToRetry()
            let planned = try #require(run.newest)
            #expect(planned.range != nil)
            run.answer(planned.id, head(planned))
            run.end(planned.id, at: planned.end, .completed)
        }
        #expect(run.planner.arrived.count > Self.have / 2)
    }

    @Test func `a 416 with another length does not prove a new version`() throws {
        var run = resumed(1)
        let gone = ResponseHead(416, ["Content-Range": "bytes */0"])
        run.answer(try #require(run.newest).id, gone)
        let planned = try #require(run.newest)
        #expect(planned.range == nil)
        #expect(run.planner.arrived.count > Self.have / 2)
        run.answer(planned.id, whole)
        run.pass(.milliseconds(100), TransferSample(id: planned.id, offset: Self.have + 1000))
        #expect(run.planner.arrived.count == Self.have + 1000)
    }

    private static let date = "Mon, 02 Jan 2023 00:00:00 GMT"

    /// Returns a run whose pinned strong tag the server no longer sends.
    private func withoutTag(date: String) throws -> PlannerRun {
        var pinned = Representation(total: Self.total)
        pinned.entityTag = EntityTag(isWeak: false, opaque: "\"a\"")
        (pinned.lastModified, pinned.lastModifiedIsOld) = (Self.date, true)
        var run = PlannerRun(settings(1), have: RangeSet(ByteRange(0, Self.have)), of: pinned)
        let planned = try #require(run.newest)
        #expect(!planned.comparesBytes)
        var head = head(planned)
        head.fields.append(HTTPField(name: "Last-Modified", value: date))
        run.answer(planned.id, head)
        return run
    }

    @Test func `comparison replaces a tag that is no longer sent if the date matches`()
        throws
    {
        let run = try withoutTag(date: Self.date)
        #expect(run.error == nil)
        #expect(run.planner.representation?.entityTag == nil)
        #expect(run.planner.representation?.lastModified == Self.date)
        let planned = try #require(run.newest)
        #expect(
            planned.comparesBytes && planned.end == planned.start + 1,
            "a sample is fetched first"
        )
        #expect(run.planner.arrived.count >= Self.have - Int64(Seam.samples))
    }

    @Test func `comparison does not replace a missing tag if the date differs`() throws {
        let run = try withoutTag(date: "Tue, 03 Jan 2023 00:00:00 GMT")
        #expect(run.newest?.comparesBytes == false)
    }

    @Test func `samples that are not fetched again yet stay on disk`() throws {
        var run = resumed(1)
        let planned = try #require(run.newest)
        run.answer(planned.id, head(planned))
        run.end(planned.id, at: planned.start, .failed(TransferFailure(.connectionLost, "")))
        #expect(run.kept == RangeSet(ByteRange(0, Self.have)))
    }

    @Test func `a URL identifies its source even if an older version hid less of it`() throws {
        let url = try #require(URL(string: "http://origin.example/disk.iso?token=secret"))
        let run = PlannerRun(
            settings(1),
            have: RangeSet(ByteRange(0, Self.have)),
            of: Representation(total: Self.total),
            from: url.absoluteString,
            url: url
        )
        #expect(try #require(run.newest).comparesBytes, "the download starts over")
    }

    @Test func `a small number of stored bytes is compared only at its end`() throws {
        let run = resumed(1, have: 100_000)
        let planned = try #require(run.newest)
        #expect(planned.start == 100_000)
        #expect(planned.range?.start == 100_000 - Seam.leadBytes)
    }

    @Test func `a piece too short for comparison is fetched again`() throws {
        let run = resumed(1, have: Seam.tailBytes - 1)
        let planned = try #require(run.newest)
        #expect(planned.start == 0 && planned.range?.start == 0)
    }

    @Test func `a download with a strong validator compares nothing`() throws {
        var pinned = Representation(total: Self.total)
        pinned.entityTag = EntityTag(isWeak: false, opaque: "\"a\"")
        let run = PlannerRun(settings(1), have: RangeSet(ByteRange(0, Self.have)), of: pinned)
        let planned = try #require(run.newest)
        #expect(planned.range == ByteRange(Self.have, Self.total))
        #expect(!planned.comparesBytes)
    }

    @Test func `a split omits one byte until the neighbouring bytes can be compared`() throws {
        var run = PlannerRun(settings(2), of: Representation(total: Self.total))
        let first = try #require(run.newest)
        run.answer(first.id, head(first))
        let second = try #require(run.newest)
        #expect(second.id != first.id && second.start > 0)
        #expect(second.range?.start == second.start, "no bytes before the range can be compared")
        #expect(run.ends[first.id]?.end == second.start - 1)
        run.answer(second.id, head(second))
        let there = second.start + Seam.tailBytes
        run.pass(.milliseconds(100), [TransferSample(id: second.id, offset: there - 1)])
        #expect(run.ends[first.id]?.isProven == false)
        run.pass(.milliseconds(100), [TransferSample(id: second.id, offset: there)])
        #expect(run.ends[first.id]?.end == second.start)
        #expect(run.ends[first.id]?.isProven == true)
    }

    /// The transfer received bytes past its new end before it learned of that end.
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
            "nothing proves the byte before the second transfer"
        )
    }

    @Test func `an omitted byte is fetched together with the bytes on both sides`() throws {
        var run = PlannerRun(settings(2), of: Representation(total: Self.total))
        let first = try #require(run.newest)
        run.answer(first.id, head(first))
        let second = try #require(run.newest)
        run.answer(second.id, head(second))
        run.end(first.id, at: second.start - 1, .stopped)
        // The bytes of the second transfer have not arrived yet, and the rest of its range can be
        // split.
        #expect(run.newest.map { $0.start != second.start - 1 } == true)
        let there = second.start + Self.total / 8
        run.pass(.milliseconds(100), [TransferSample(id: second.id, offset: there)])
        for planned in run.running where planned.id != second.id {
            run.end(planned.id, at: planned.start, .failed(TransferFailure(.connectionLost, "")))
        }
        run.pass(.seconds(2), [TransferSample(id: second.id, offset: there)])
        let seam = try #require(run.newest)
        #expect(seam.start == second.start - 1 && seam.end == second.start)
        #expect(
            seam.range
                == ByteRange(seam.start - Seam.leadBytes, seam.end + Seam.tailBytes)
        )
    }

    @Test func `a difference causes a restart, then a single stream, then an error`() throws {
        var run = resumed(2)
        run.report(.seamDiffered(try #require(run.newest).id))
        endAll(&run)
        let whole = try #require(run.newest)
        #expect(whole.range == nil && whole.pinned == nil)
        #expect(run.log.contains { $0.contains("changed on the server") })
        run.answer(whole.id, head(whole))
        #expect(run.running.count == 2)
        run.report(.seamDiffered(try #require(run.newest).id))
        endAll(&run)
        let stream = try #require(run.newest)
        run.answer(stream.id, head(stream))
        #expect(run.running.count == 1)
        run.report(.seamDiffered(stream.id))
        #expect(run.error?.code == .keepsChanging)
    }

    @Test func `a stream continues over ranges that no response covers yet`() throws {
        var run = PlannerRun(settings(3), of: Representation(total: Self.total))
        let first = try #require(run.newest)
        run.answer(first.id, head(first))
        let others = run.running.filter { $0.id != first.id }
        try #require(others.count == 2)
        run.answer(others[1].id, whole)
        #expect(run.ends[first.id]?.end == Self.total)
        #expect(run.closed.contains(others[0].id))
        #expect(run.ends[others[0].id]?.end == others[0].start, "its response may still arrive")
    }

    /// The bytes of the other transfer were still unknown when the first one was extended over
    /// them.
    @Test func `a stream does not continue into the range of a running transfer`() throws {
        var run = PlannerRun(settings(3), of: Representation(total: Self.total))
        let first = try #require(run.newest)
        run.answer(first.id, head(first))
        let others = run.running.filter { $0.id != first.id }
        try #require(others.count == 2)
        run.answer(others[0].id, head(others[0]))
        run.answer(others[1].id, whole)
        run.end(others[1].id, at: others[1].start, .cancelled)
        #expect(run.log.contains { $0.contains("one connection") })
        let end = try #require(run.ends[first.id]?.end)
        #expect(end < others[0].start)
        run.end(others[0].id, at: others[0].start, .failed(TransferFailure(.connectionLost, "")))
        #expect(run.ends[first.id]?.end == Self.total)
    }

    @Test func `a whole response waits until no other transfer writes`() throws {
        var run = resumed(4)
        let sample = try #require(run.newest)
        run.answer(sample.id, head(sample))
        run.end(sample.id, at: sample.end, .completed)
        let transfers = run.running
        try #require(transfers.count > 2)
        run.answer(transfers[1].id, whole)
        #expect(Set(run.closed) == Set(transfers.map(\.id)).subtracting([transfers[1].id]))
        #expect(run.ends[transfers[1].id] == nil, "the other transfers may still deliver bytes")
        endAll(&run)
        #expect(run.ends[transfers[1].id]?.end == Self.total)
        #expect(run.running.map(\.id) == [transfers[1].id])
    }

    private func endAll(_ run: inout PlannerRun) {
        for planned in run.running where run.closed.contains(planned.id) {
            run.end(planned.id, at: planned.start, .cancelled)
        }
    }
}
