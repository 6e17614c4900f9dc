import PawlCore
import PawlTesting
import PawlTransport
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5)))
struct FlowTests {
    private static let body = patternedBytes(700_000)

    @Test(arguments: [1_024, 65_536, 512 * 1_024])
    func `after holding the head each byte is delivered once`(buffer: Int) async throws {
        let origin = try TestOrigin { try $0.answer(Self.body) }
        try await withTransport { transport in
            let sink = RecordingSink(head: { _ in .hold })
            var request = try TransferRequest(url: origin.url())
            request.bufferBytes = buffer
            let transfer = transport.start(request, sink: sink)
            _ = await sink.head.waitIgnoringCancellation()
            #expect(sink.record.body.isEmpty)
            transfer.resume()
            _ = await sink.end.waitIgnoringCancellation()
            let record = sink.record
            #expect(record.body == Self.body)
            #expect(record.outcome == .completed)
            #expect(record.misplacedCalls == 0)
        }
    }

    /// Returns the sink's record of a fetch from an origin that has sent head and body before the
    /// body is requested.
    private func fetchWhatIsThere(
        _ body: [UInt8],
        bufferBytes: Int,
        _ answer: @escaping @Sendable (any Transfer) -> BodyDecision
    ) async throws -> (record: RecordingSink.Record, offsets: [Int]) {
        let sent = Completion<Void>()
        let offsets = Mutex<[Int]>([])
        let current = Mutex<(any Transfer)?>(nil)
        let origin = try TestOrigin { connection in
            try connection.answer(body)
            sent.complete()
        }
        return try await withTransport { transport in
            let sink = RecordingSink(
                head: { _ in .hold },
                body: { record in
                    offsets.withLock { $0.append(record.body.count) }
                    return current.withLock { $0.map(answer) } ?? .stop
                }
            )
            var request = try TransferRequest(url: origin.url())
            request.bufferBytes = bufferBytes
            let transfer = transport.start(request, sink: sink)
            current.withLock { $0 = transfer }
            _ = await sink.head.waitIgnoringCancellation()
            await sent.waitIgnoringCancellation()
            transfer.resume()
            _ = await sink.end.waitIgnoringCancellation()
            current.withLock { $0 = nil }
            return (sink.record, offsets.withLock { $0 })
        }
    }

    @Test func `bytes that are available are delivered together`() async throws {
        let body = Array(Self.body.prefix(60_000))
        let (record, offsets) = try await fetchWhatIsThere(body, bufferBytes: 512 * 1_024) { _ in
            .more
        }
        #expect(offsets == [60_000])
        #expect(record.body == body)
        #expect(record.outcome == .completed)
    }

    @Test func `bytes are delivered up to round offsets, and the rest waits during a hold`()
        async throws
    {
        let body = Array(Self.body.prefix(65_000))
        let (record, offsets) = try await fetchWhatIsThere(body, bufferBytes: 20_000) { transfer in
            transfer.resume()
            return .hold
        }
        // libcurl may deliver bytes after a hold in two pieces, but none extends beyond a round
        // offset.
        #expect([20_000, 40_000, 60_000, 65_000].allSatisfy(offsets.contains))
        #expect(record.body == body)
        #expect(record.outcome == .completed)
        #expect(record.misplacedCalls == 0)
    }

    @Test func `threads that have moved bytes report their work time`() async throws {
        let origin = try TestOrigin { try $0.answer(Self.body) }
        try await withTransport(loops: 2) { transport in
            #expect(transport.workTimes.isEmpty)
            _ = try await fetch(TransferRequest(url: origin.url()), over: transport)
            #expect(transport.workTimes.count == 1)
            #expect(transport.workTimes.allSatisfy { $0 > .zero })
        }
    }

    @Test func `holding every chunk delivers each byte once`() async throws {
        let origin = try TestOrigin { try $0.answer(Self.body) }
        try await withTransport { transport in
            let running = Completion<any Transfer>()
            let holds = Atomic<Int>(0)
            let sink = RecordingSink(body: { _ in
                holds.add(1, ordering: .relaxed)
                // Arrives before or after the hold has taken effect; it must not be lost in either
                // case.
                Task { await running.waitIgnoringCancellation().resume() }
                return .hold
            })
            running.complete(
                with: transport.start(try TransferRequest(url: origin.url()), sink: sink)
            )
            _ = await sink.end.waitIgnoringCancellation()
            #expect(sink.record.body == Self.body)
            #expect(sink.record.outcome == .completed)
            #expect(holds.load(ordering: .relaxed) == sink.record.bodyCalls)
        }
    }

    @Test func `a resume from within the callback takes effect`() async throws {
        let origin = try TestOrigin { connection in
            _ = try connection.readHead()
            try connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            for _ in 0..<50 { try connection.send("4\r\nabcd\r\n") }
            try connection.send("0\r\n\r\n")
        }
        try await withTransport { transport in
            let running = Mutex<(any Transfer)?>(nil)
            let started = Gate()
            let sink = RecordingSink(
                head: { _ in
                    started.wait()
                    running.withLock { $0?.resume() }
                    return .hold
                },
                body: { _ in
                    running.withLock { $0?.resume() }
                    return .hold
                }
            )
            let transfer = transport.start(try TransferRequest(url: origin.url()), sink: sink)
            running.withLock { $0 = transfer }
            started.open()
            _ = await sink.end.waitIgnoringCancellation()
            #expect(sink.record.text == String(repeating: "abcd", count: 50))
            #expect(sink.record.outcome == .completed)
            running.withLock { $0 = nil }
        }
    }

    @Test func `nothing is delivered while the sink holds`() async throws {
        let sent = Gate()
        let ready = Completion<Void>()
        let origin = try TestOrigin { connection in
            _ = try connection.readHead()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabc")
            sent.wait()
            try connection.send("def")
            connection.waitForClose()
        }
        let other = try TestOrigin { connection in
            while true { try connection.answer("x") }
        }
        try await withTransport { transport in
            let sink = RecordingSink(body: { _ in
                ready.complete()
                return .hold
            })
            let transfer = transport.start(try TransferRequest(url: origin.url()), sink: sink)
            await ready.waitIgnoringCancellation()
            sent.open()
            // The same loop serves others in the meantime, so it has had the chance to go wrong.
            for _ in 0..<50 {
                _ = try await fetch(TransferRequest(url: other.url()), over: transport)
            }
            #expect(sink.record.text == "abc")
            #expect(sink.record.ends.isEmpty)
            transfer.resume()
            while sink.record.text != "abcdef" { await Task.yield() }
            #expect(sink.record.ends.isEmpty, "the end follows the last hold")
            transfer.resume()
            #expect(await sink.end.waitIgnoringCancellation().outcome == .completed)
        }
    }

    @Test func `a head without a body can be held`() async throws {
        let origin = try TestOrigin { try $0.answer("") }
        try await withTransport { transport in
            let sink = RecordingSink(head: { _ in .hold })
            let transfer = transport.start(try TransferRequest(url: origin.url()), sink: sink)
            _ = await sink.head.waitIgnoringCancellation()
            #expect(sink.record.ends.isEmpty)
            transfer.resume()
            #expect(await sink.end.waitIgnoringCancellation().outcome == .completed)
            transfer.resume()
        }
    }

    @Test func `a held end can be cancelled`() async throws {
        let origin = try TestOrigin { try $0.answer("") }
        try await withTransport { transport in
            let sink = RecordingSink(head: { _ in .hold })
            let transfer = transport.start(try TransferRequest(url: origin.url()), sink: sink)
            _ = await sink.head.waitIgnoringCancellation()
            transfer.cancel()
            #expect(await sink.end.waitIgnoringCancellation().outcome == .cancelled)
        }
    }

    @Test func `a resume without a hold does nothing`() async throws {
        let origin = try TestOrigin { try $0.answer(Self.body) }
        try await withTransport { transport in
            let sink = RecordingSink(body: { _ in .pause(.milliseconds(1)) })
            let transfer = transport.start(try TransferRequest(url: origin.url()), sink: sink)
            for _ in 0..<100 {
                transfer.resume()
                await Task.yield()
            }
            _ = await sink.end.waitIgnoringCancellation()
            #expect(sink.record.body == Self.body)
        }
    }

    @Test func `pauses limit the rate and lose nothing`() async throws {
        let body = Array(Self.body.prefix(40_000))
        let origin = try TestOrigin { try $0.answer(body) }
        var request = try TransferRequest(url: origin.url())
        request.bufferBytes = 1_024
        let sink = RecordingSink(body: { _ in .pause(.milliseconds(4)) })
        let clock = ContinuousClock()
        let start = clock.now
        let record = try await fetch(request, with: sink)
        #expect(record.body == body)
        #expect(record.outcome == .completed)
        #expect(record.bodyCalls >= 40)
        // Neither the last pause delays the end, nor does any pause delay the head's own buffer.
        #expect(clock.now - start >= .milliseconds(4) * (record.bodyCalls - 1))
    }

    @Test func `stopping in the middle ends at once`() async throws {
        let origin = try TestOrigin { connection in
            _ = try connection.readHead()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\nabc")
            connection.waitForClose()
        }
        let record = try await fetch(
            TransferRequest(url: origin.url()),
            with: RecordingSink(body: { _ in .stop })
        )
        #expect(record.text == "abc")
        #expect(record.outcome == .stopped)
    }

    @Test func `stopping after a pause ends at once`() async throws {
        let origin = try TestOrigin { connection in
            try connection.answer(Self.body)
            connection.waitForClose()
        }
        let sink = RecordingSink(body: { $0.bodyCalls < 3 ? .pause(.milliseconds(1)) : .stop })
        let record = try await fetch(TransferRequest(url: origin.url()), with: sink)
        #expect(record.bodyCalls == 3)
        #expect(record.body == Array(Self.body.prefix(record.body.count)))
        #expect(record.outcome == .stopped)
    }

    @Test func `refusing the head ends the transfer`() async throws {
        let origin = try TestOrigin { connection in
            _ = try connection.readHead()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\nabc")
            connection.waitForClose()
        }
        let record = try await fetch(
            TransferRequest(url: origin.url()),
            with: RecordingSink(head: { _ in .refuse })
        )
        #expect(record.heads.count == 1)
        #expect(record.body.isEmpty)
        #expect(record.outcome == .stopped)
    }

    @Test func `two hundred transfers on one loop are all exact`() async throws {
        let origin = try TestOrigin { connection in
            while true {
                let line = try connection.readHead().first ?? ""
                let number = UInt64(line.split(separator: "/")[1].split(separator: " ")[0]) ?? 0
                let body = patternedBytes(20_000 + Int(number), seed: number + 1)
                try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n")
                try connection.send(body)
            }
        }
        try await withTransport { transport in
            let sinks = try (0..<200).map { number in
                // Buffers of several sizes, because handles are reused.
                var request = try TransferRequest(url: origin.url("/\(number)"))
                request.bufferBytes = 1_024 << (number % 8)
                let sink = RecordingSink(body: { record in
                    record.bodyCalls % 7 == number % 7 ? .pause(.milliseconds(1)) : .more
                })
                _ = transport.start(request, sink: sink)
                return sink
            }
            for (number, sink) in sinks.enumerated() {
                #expect(await sink.end.waitIgnoringCancellation().outcome == .completed)
                #expect(
                    sink.record.body == patternedBytes(20_000 + number, seed: UInt64(number) + 1)
                )
                #expect(sink.record.misplacedCalls == 0)
            }
        }
    }
}
