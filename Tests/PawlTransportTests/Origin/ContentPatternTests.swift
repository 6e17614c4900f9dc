import PawlCore
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ContentPatternTests {
    @Test func `any piece equals that piece of the whole`() {
        let pattern = ContentPattern(seed: 42)
        let whole = pattern.bytes(at: 0, count: 300_000)
        var random = TestSeed.generator("pieces of a pattern")
        for _ in 0..<300 {
            let start = Int.random(in: 0..<whole.count, using: &random)
            let end = Int.random(in: start...min(whole.count, start + 70_000), using: &random)
            let piece = pattern.bytes(at: Int64(start), count: end - start)
            #expect(piece == Array(whole[start..<end]))
        }
    }

    @Test func `other seeds and other offsets give other bytes`() {
        let first = ContentPattern(seed: 1)
        func agreeing(_ left: [UInt8], _ right: [UInt8]) -> Int {
            zip(left, right).count { $0 == $1 }
        }
        let here = first.bytes(at: 0, count: 65_536)
        #expect(agreeing(here, ContentPattern(seed: 2).bytes(at: 0, count: 65_536)) < 1000)
        for distance in [1, 8, 4096, 65_536, 1 << 33] as [Int64] {
            #expect(agreeing(here, first.bytes(at: distance, count: 65_536)) < 1000)
        }
    }

    @Test func `a file is verified byte by byte`() throws {
        let folder = try ScratchFolder()
        let pattern = ContentPattern(seed: 9)
        var bytes = pattern.bytes(at: 0, count: 3_000_000)
        let path = try folder.write("f", bytes)
        #expect(try pattern.verify(fileAt: path, size: 3_000_000) == nil)
        #expect(try pattern.verify(fileAt: path, size: 3_000_001) == 3_000_000)
        #expect(try pattern.verify(fileAt: path, size: 2_999_999) == 2_999_999)
        bytes[2_345_678] ^= 1
        try folder.write("f", bytes)
        #expect(try pattern.verify(fileAt: path, size: 3_000_000) == 2_345_678)
        let before = ByteRange(1, 2_345_678)
        #expect(try pattern.firstMismatch(inFileAt: path, range: before) == nil)
        #expect(throws: (any Error).self) { try pattern.verify(fileAt: path + "x", size: 1) }
    }

    @Test func `a resource computes its digest`() {
        #expect(
            Resource(text: "abc").digest(.sha256)?.hexadecimal
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        )
        #expect(Resource(text: "").digest(.md5)?.hexadecimal == "d41d8cd98f00b204e9800998ecf8427e")
        #expect(Base64.text([0xFF, 0, 1, 2]) == "/wABAg==")
    }
}
