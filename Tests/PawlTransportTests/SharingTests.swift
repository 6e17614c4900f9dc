import PawlCore
import PawlTransport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct SharingTests {
    private func at(_ seconds: Double) -> Moment {
        Moment(nanoseconds: Int64(seconds * 1_000_000_000))
    }

    @Test func `silence counts from the last bytes received`() {
        var sharing = Sharing()
        sharing.asked(at: at(1))
        #expect(!sharing.isSilent(at: at(5.9)))
        #expect(sharing.isSilent(at: at(6)))
        sharing.received(100, at: at(6))
        #expect(!sharing.isSilent(at: at(10.9)))
        #expect(sharing.isSilent(at: at(11)))
    }

    @Test func `a transfer that waits for a connection is not silent`() {
        #expect(!Sharing().isSilent(at: at(100)))
    }
}
