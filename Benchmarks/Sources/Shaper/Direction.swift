/// The delay, loss and rate of a link in each direction.
struct LinkShape {
    var delayNanoseconds: Int64
    var lossPerMillion: UInt64
    var bitsPerSecond: Int64
    var queueBytes: Int64
}

/// The packets on their way in one direction.
///
/// All have the same delay, so the first one in is the first one out.
struct Direction {
    private struct Packet {
        let due: Int64
        let bytes: [UInt8]
    }

    private let shape: LinkShape
    private var random: UInt64
    /// The time when the link will have sent everything.
    private var free: Int64 = 0
    private var packets: [Packet] = []
    /// The first packet that is still on its way.
    private var first = 0

    init(_ shape: LinkShape, seed: UInt64) {
        self.shape = shape
        random = seed
    }

    /// The time when the next packet arrives.
    var nextDue: Int64? { first < packets.count ? packets[first].due : nil }

    /// Takes a packet, unless it is lost or the queue is full.
    mutating func enter(_ bytes: [UInt8], now: Int64) {
        guard nextRandom() % 1_000_000 >= shape.lossPerMillion else { return }
        let start = max(now, free)
        let waiting = (start - now) * shape.bitsPerSecond / 8_000_000_000
        guard waiting <= shape.queueBytes else { return }
        free = start + Int64(bytes.count) * 8_000_000_000 / shape.bitsPerSecond
        packets.append(Packet(due: free + shape.delayNanoseconds, bytes: bytes))
    }

    /// Returns the next packet that has arrived by now.
    mutating func leave(now: Int64) -> [UInt8]? {
        guard let due = nextDue, due <= now else { return nil }
        let bytes = packets[first].bytes
        first += 1
        if first == packets.count || first > 4096 {
            packets.removeFirst(first)
            first = 0
        }
        return bytes
    }

    /// SplitMix64.
    private mutating func nextRandom() -> UInt64 {
        random &+= 0x9E37_79B9_7F4A_7C15
        var word = random
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}
