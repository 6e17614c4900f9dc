import PawlCore
import PawlTesting
import PawlWire
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ServerSentEventTests {
    private func events(_ pieces: [[UInt8]]) throws -> [ServerSentEvent] {
        var parser = ServerSentEventParser()
        return try pieces.flatMap { try parser.read($0) }
    }

    @Test func `an event is read as it was sent`() throws {
        let sent = [
            ServerSentEvent(id: "1", name: "added", data: "{}"),
            ServerSentEvent(id: "2", data: "two\nlines"),
            ServerSentEvent(id: "2", name: "progress", data: ""),
        ]
        let bytes =
            sent[0].bytes + ServerSentEvent.comment + sent[1].bytes
            + ServerSentEvent(name: "progress", data: "").bytes
        #expect(try events([bytes]) == sent)
    }

    @Test func `fields, line ends and byte order marks follow the standard`() throws {
        let text =
            "\u{FEFF}data:no space\r\rid: 7\revent: x\r\ndata: one\ndata:  two\nodd\n: comment\n\n"
            + "id\ndata: last\n\ndata: never ended"
        let read = try events([Array(text.utf8)])
        #expect(
            read == [
                ServerSentEvent(data: "no space"),
                ServerSentEvent(id: "7", name: "x", data: "one\n two"),
                ServerSentEvent(id: "", data: "last"),
            ]
        )
    }

    @Test func `the result does not depend on where the bytes are cut`() throws {
        var random = TestSeed.generator("cuts")
        for _ in 0..<300 {
            let bytes = Self.randomStream(&random)
            let whole = try events([bytes])
            #expect(try events(Self.cut(bytes, &random)) == whole)
            #expect(try events(bytes.map { [$0] }) == whole)
        }
    }

    @Test func `an endless line is not buffered without limit`() throws {
        var parser = ServerSentEventParser()
        let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 18)
        var failure: DownloadError?
        for _ in 0..<8 where failure == nil {
            do throws(DownloadError) {
                #expect(try parser.read(piece).isEmpty)
            } catch {
                failure = error
            }
        }
        #expect(failure?.code == .badResponse)
    }

    private static func randomStream(_ random: inout SplitMix64) -> [UInt8] {
        let words = [
            "data", "id", "event", "retry", ":", ": ", "\n", "\r", "\r\n", "\n\n", "x", "é",
            "\u{0}",
        ]
        let count = Int.random(in: 0...60, using: &random)
        return (0..<count).flatMap { _ in
            Array(words[Int.random(in: 0..<words.count, using: &random)].utf8)
        }
    }

    private static func cut(_ bytes: [UInt8], _ random: inout SplitMix64) -> [[UInt8]] {
        var (pieces, rest) = ([[UInt8]](), bytes[...])
        while !rest.isEmpty {
            let count = Int.random(in: 1...rest.count, using: &random)
            pieces.append(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        return pieces
    }
}
