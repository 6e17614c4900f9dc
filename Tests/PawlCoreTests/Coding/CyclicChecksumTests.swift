import PawlCore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct CyclicChecksumTests {
    @Test func `the checksum is CRC-64 as XZ computes it`() {
        #expect(CyclicChecksum.of("123456789".utf8) == 0x995D_C9BB_DF19_39FA)
        #expect(CyclicChecksum.of([]) == 0)
    }
}
