/// A link and a server on which all programs fetch the same file.
struct RegretCell: Codable, Sendable, Equatable {
    var group: Group
    var megabitsPerSecond: Double
    var roundTripMilliseconds: Double
    /// The percentage of lost packets, in each direction.
    var lossPercent = 0.0
    /// The size of the link's queue, as a multiple of the bytes of one round trip.
    var queue = 1.0
    /// The rate of each connection in megabytes per second; `nil` for no limit.
    var connectionMegabytesPerSecond: Double?
    /// The number of connections that the server serves at the same time; `nil` for no limit.
    ///
    /// It answers 503 to more.
    var mostConnections: Int?
    var mebibytes = 2

    /// The part of the picture in which the cell is.
    enum Group: String, Codable, CaseIterable, Sendable {
        case clean = "Clean links"
        case queues = "Short and long queues"
        case loss = "Packet loss"
        case pace = "A limit per connection"
        case limit = "A limited number of connections"
    }

    /// A description such as `100 Mbit/s, 80 ms, 0.1 % loss, 24 MiB`.
    var title: String {
        var parts = [
            "\(Self.number(megabitsPerSecond)) Mbit/s", "\(Self.number(roundTripMilliseconds)) ms",
        ]
        if lossPercent > 0 { parts.append("\(FigureText.decimal(lossPercent, 1)) % loss") }
        if queue != 1 { parts.append("queue \(FigureText.decimal(queue, 2))") }
        if let connectionMegabytesPerSecond {
            parts.append("\(FigureText.decimal(connectionMegabytesPerSecond, 1)) MB/s each")
        }
        if let mostConnections { parts.append("at most \(mostConnections)") }
        return (parts + ["\(mebibytes) MiB"]).joined(separator: ", ")
    }

    private static func number(_ value: Double) -> String {
        FigureText.decimal(value, value < 10 ? 1 : 0)
    }

    /// The bytes per second that the best choice of connections can reach.
    private var bytesPerSecond: Double {
        let link = megabitsPerSecond * 125_000
        guard let each = connectionMegabytesPerSecond else { return link }
        return min(link, each * 1_000_000 * Double(min(mostConnections ?? 16, 16)))
    }

    /// The link of the cell.
    var link: LinkSettings {
        let roundTripBytes = megabitsPerSecond * 125 * roundTripMilliseconds
        return LinkSettings(
            delayMilliseconds: roundTripMilliseconds / 2,
            loss: lossPercent / 100,
            bitsPerSecond: Int(megabitsPerSecond * 1_000_000),
            // A queue holds at least a few packets, whatever the round trip is.
            queueBytes: max(30_000, Int(roundTripBytes * queue)),
            congestionControl: lossPercent > 0 ? "reno" : nil
        )
    }

    /// Returns the cell with slightly other rates, delays and sizes, so that no program can be
    /// tuned to it; the size is such that the transfer takes about `seconds`.
    func varied(seconds: Double, by random: inout VariedNumbers) -> RegretCell {
        var cell = self
        cell.megabitsPerSecond *= random.next()
        cell.roundTripMilliseconds *= random.next()
        cell.connectionMegabytesPerSecond = connectionMegabytesPerSecond.map { $0 * random.next() }
        // The slow start of a long link takes a few round trips, in which little is received.
        let useful = max(seconds / 2, seconds - 8 * cell.roundTripMilliseconds / 1000)
        // Few links with loss are ever full.
        let share = lossPercent >= 0.5 ? 0.3 : 1
        let bytes = cell.bytesPerSecond * useful * share * random.next()
        cell.mebibytes = max(2, min(1024, Int((bytes / 1_048_576).rounded())))
        return cell
    }
}

/// Factors near 1.
struct VariedNumbers {
    private var generator: any RandomNumberGenerator
    private static let spread = 0.06

    init(seed: UInt64) { generator = Mixer(state: seed) }

    mutating func next() -> Double {
        1 + Double.random(in: -Self.spread...Self.spread, using: &generator)
    }

    /// SplitMix64.
    private struct Mixer: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var word = state
            word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
            word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
            return word ^ (word >> 31)
        }
    }
}
