import FoundationEssentials
import PawlCore
import PawlTesting
import Testing

/// The output of `pawl inspect --json` for a partial file.
struct Inspection: Decodable {
    var url: String
    /// Nil if the length is not known.
    var bytes: Int64?
    var usableBytes: Int64
    var ofThisBoot: Bool
    var written: [[Int64]]
    var durable: [[Int64]]

    /// The bytes from which the next run would resume.
    var claimed: RangeSet {
        Self.ranges(written + durable)
    }

    var durableRanges: RangeSet { Self.ranges(durable) }

    private static func ranges(_ pairs: [[Int64]]) -> RangeSet {
        RangeSet(pairs.filter { $0.count == 2 }.map { ByteRange($0[0], $0[1]) })
    }

    /// `nil` if there is no usable checkpoint yet.
    static func found(_ name: String, in workshop: Workshop) async throws -> Inspection? {
        let run = try await workshop.run("inspect", "--json", name)
        guard run.status == .code(0) else { return nil }
        return try JSONDecoder().decode(Inspection.self, from: Data(run.output.utf8))
    }

    static func of(_ name: String, in workshop: Workshop) async throws -> Inspection {
        let run = try await workshop.run("inspect", "--json", name)
        #expect(run.status == .code(0), "\(run.errors)")
        return try JSONDecoder().decode(Inspection.self, from: Data(run.output.utf8))
    }
}
