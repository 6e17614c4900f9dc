import PawlCore
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct LosslessTextTests {
    @Test(arguments: [
        [], Array("id=é\u{10FFFD}".utf8), [0x61, 0xFF, 0x62], [0xE9], [0xC3, 0xA9, 0xC3],
        Array("\u{10FF80}\u{10FFFF}".utf8), [0xF4, 0x8F, 0xBE, 0x80, 0x80], [0xED, 0xA0, 0x80],
    ])
    func `any bytes are restored from their text`(bytes: [UInt8]) {
        #expect(LosslessText.bytes(of: LosslessText.text(of: bytes)) == bytes)
    }

    @Test func `random bytes are restored from their text`() {
        var random = TestSeed.generator("LosslessTextTests")
        for _ in 0..<2_000 {
            let bytes = (0..<Int.random(in: 0...12, using: &random)).map { _ in
                UInt8.random(in: .min ... .max, using: &random)
            }
            let text = LosslessText.text(of: bytes)
            #expect(LosslessText.bytes(of: text) == bytes)
        }
    }

    @Test func `valid text stays as it is`() {
        #expect(LosslessText.text(of: Array("naïve 文".utf8)) == "naïve 文")
    }
}
