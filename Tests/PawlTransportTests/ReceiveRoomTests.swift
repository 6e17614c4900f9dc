import Testing

import PawlTransport

@Suite(.timeLimit(.minutes(5)))
struct ReceiveRoomTests {
    @Test func `a few transfers read large pieces, and many read small ones`() {
        var room = ReceiveRoom()
        #expect(
            (0..<8).map { _ in room.take(atMost: 512 << 10) >> 10 } == [
                512, 256, 128, 64, 32, 16, 16, 16,
            ]
        )
    }

    @Test func `64 transfers hold a mebibyte plus the minimum for each`() {
        var room = ReceiveRoom()
        let held = (0..<64).reduce(0) { sum, _ in sum + room.take(atMost: 512 << 10) }
        #expect(held <= ReceiveRoom.allBytes + 64 * ReceiveRoom.leastBytes)
    }

    @Test func `room that one transfer returns goes to another`() {
        var room = ReceiveRoom()
        let first = room.take(atMost: 512 << 10)
        for _ in 0..<20 { _ = room.take(atMost: 512 << 10) }
        room.release(first)
        #expect(room.take(atMost: 512 << 10) > ReceiveRoom.leastBytes)
    }

    @Test func `no transfer gets more than it asks for, or less than libcurl needs`() {
        var room = ReceiveRoom()
        #expect(room.take(atMost: 4_096) == 4_096)
        #expect(room.take(atMost: 1) == 1_024)
    }
}
