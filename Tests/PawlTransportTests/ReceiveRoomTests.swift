import Testing

import PawlTransport

@Suite(.timeLimit(.minutes(1)))
struct ReceiveRoomTests {
    @Test func `a few transfers read much at a time, and many together little`() {
        var room = ReceiveRoom()
        #expect(
            (0..<8).map { _ in room.take(atMost: 512 << 10) >> 10 } == [
                512, 256, 128, 64, 32, 16, 16, 16,
            ]
        )
    }

    @Test func `what 64 transfers hold is a mebibyte, and the least for each`() {
        var room = ReceiveRoom()
        let held = (0..<64).reduce(0) { sum, _ in sum + room.take(atMost: 512 << 10) }
        #expect(held <= ReceiveRoom.allBytes + 64 * ReceiveRoom.leastBytes)
    }

    @Test func `what one gives back another gets`() {
        var room = ReceiveRoom()
        let first = room.take(atMost: 512 << 10)
        for _ in 0..<20 { _ = room.take(atMost: 512 << 10) }
        room.giveBack(first)
        #expect(room.take(atMost: 512 << 10) > ReceiveRoom.leastBytes)
    }

    @Test func `no transfer gets more than it asks for, nor less than libcurl takes`() {
        var room = ReceiveRoom()
        #expect(room.take(atMost: 4_096) == 4_096)
        #expect(room.take(atMost: 1) == 1_024)
    }
}
