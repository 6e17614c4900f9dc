import Glibc
package import PawlCore

/// The server and the clients that one seed produces.
///
/// The origin draws the faults of each request from the seed and the request's number, so that a
/// repeated seed produces the same faults while the client sends the same requests in the same
/// order.
package struct ChaosScenario: Sendable {
    /// The way in which the requested URL leads to the file.
    enum Redirection: String, CaseIterable, Sendable {
        case none, path, host
        /// A redirect to a URL that serves a few requests and then answers 403.
        case signed
    }

    package let seed: UInt64
    /// The speed of the client's clock, as a multiple of the origin's.
    package let haste: Int
    let identity: ChaosIdentity
    /// The length of each version.
    let sizes: [Int64]
    let givesDigest: Bool
    let acceptsRanges: Bool
    let redirection: Redirection
    /// The speed of each body; `nil` means unlimited.
    let bytesPerSecond: Int64?
    /// The maximum number of bodies at the same time; `nil` means unlimited.
    let connectionLimit: Int?
    let hangsUpAboveLimit: Bool
    /// The faults that requests draw from.
    let faults: [ChaosFault]
    /// The percentage of requests that draw a fault.
    let faultPercent: Int
    /// The number of requests per run that may draw a fault; later requests are answered correctly.
    let faultyRequests: Int
    /// The percentage of bodies that break off, in addition to the other faults.
    let breakPercent: Int
    /// The number of the request at which each further version appears.
    let changes: [Int]
    /// Whether some requests alternate between old and new versions, as behind a load balancer.
    let flaps: Bool
    /// The maximum number of connections; `nil` lets the client decide.
    package let connections: Int?
    /// Whether the user provides the digest of the latest version.
    private let hasChecksum: Bool
    package let retries: Int
    /// The time that the client waits for a byte, by its own clock.
    package let stallTimeout: Duration
    /// The point at which each run except the last is ended from outside; `nil` lets a run end by
    /// itself.
    let stops: [ChaosStop?]

    package init(seed: UInt64, haste: Int = 1) {
        var random = SplitMix64(seed: seed)
        self.seed = seed
        self.haste = haste
        let identity = Self.drawIdentity(&random)
        self.identity = identity
        sizes = Self.drawSizes(isBlind: identity.isBlind, &random)
        givesDigest = Int.random(in: 0..<8, using: &random) == 0
        acceptsRanges = Int.random(in: 0..<10, using: &random) > 0
        redirection =
            Bool.random(using: &random)
            ? .none : Redirection.allCases.randomElement(using: &random) ?? .none
        let duration = Double.random(in: 0.4...2, using: &random)
        let rate = Int64(Double(sizes[0]) / duration) * Int64(haste)
        bytesPerSecond = Int.random(in: 0..<4, using: &random) > 0 ? max(20_000, rate) : nil
        connectionLimit =
            Int.random(in: 0..<4, using: &random) == 0 ? Int.random(in: 1...4, using: &random) : nil
        hangsUpAboveLimit = Bool.random(using: &random)
        faults = Self.drawFaults(&random)
        faultPercent = [10, 30, 55, 80].randomElement(using: &random) ?? 20
        faultyRequests = Int.random(in: 5...30, using: &random)
        breakPercent = [0, 20, 50, 80].randomElement(using: &random) ?? 20
        changes = sizes.dropFirst().map { _ in Int.random(in: 2...12, using: &random) }.sorted()
        flaps = Int.random(in: 0..<6, using: &random) == 0
        connections = [nil, nil, 1, 2, 4, 8].randomElement(using: &random) ?? nil
        hasChecksum = Int.random(in: 0..<8, using: &random) == 0
        retries = Int.random(in: 2...4, using: &random)
        stallTimeout = .milliseconds(Int.random(in: 800...1500, using: &random) * haste)
        let runs = [1, 1, 2, 2, 3].randomElement(using: &random) ?? 1
        stops = (0..<runs).map { _ in ChaosStop(&random) }
    }

    private static func drawIdentity(_ random: inout SplitMix64) -> ChaosIdentity {
        Int.random(in: 0..<3, using: &random) == 0
            ? .strong : ChaosIdentity.allCases.randomElement(using: &random) ?? .strong
    }

    /// Draws the length of each version.
    ///
    /// Most files take longer than a checkpoint interval; the smallest are complete before a file
    /// exists on disk.
    private static func drawSizes(isBlind: Bool, _ random: inout SplitMix64) -> [Int64] {
        let ranges: [ClosedRange<Int64>] = [
            0...65_536, 65_537...400_000, 65_537...400_000, 400_001...1_500_000,
            400_001...1_500_000,
        ]
        let range = ranges.randomElement(using: &random) ?? 0...65_536
        let first = Int64.random(in: range, using: &random)
        let versions = [1, 2, 2, 3].randomElement(using: &random) ?? 1
        let isSilent = Bool.random(using: &random)
        return (0..<versions).map { version in
            let other = Int64.random(in: range, using: &random)
            let isSameLength =
                isBlind ? isSilent && isDrawn("silent change") : Bool.random(using: &random)
            return version == 0 || isSameLength ? first : other
        }
    }

    /// Draws a subset of all faults, so that some seeds repeat the same fault often.
    private static func drawFaults(_ random: inout SplitMix64) -> [ChaosFault] {
        ChaosFault.all.filter { fault in
            Int.random(in: 0..<100, using: &random) < fault.frequency.rawValue
        }
    }

    /// Returns whether a fault may occur.
    ///
    /// To reduce a seed, set `PAWL_CHAOS_WITHOUT` to a comma-separated list of faults that must not
    /// occur. A `silent change` is a new version of the same length whose head does not differ.
    static func isDrawn(_ name: String) -> Bool { !leftOut.contains(name) }

    private static let leftOut: Set<String> = {
        guard let text = getenv("PAWL_CHAOS_WITHOUT") else { return [] }
        return Set(String(cString: text).split(separator: ",").map(String.init))
    }()

    /// Returns the version that a request gets, by the number of the request.
    func version(ofRequest number: Int, _ random: inout SplitMix64) -> Int {
        let latest = changes.count { $0 <= number }
        guard flaps, latest > 0, number < (changes.first ?? 0) + 8 else { return latest }
        return Int.random(in: 0...latest, using: &random)
    }

    var latestVersion: Int { sizes.count - 1 }

    /// The digest that the user provides, if any.
    package var checksum: ContentDigest? {
        hasChecksum ? resource(version: latestVersion, request: 0).digest(.sha256) : nil
    }

    /// Returns whether the client must not deliver the named body.
    func refuses(_ name: String) -> Bool {
        hasChecksum && !name.hasPrefix("version \(latestVersion), \(sizes[latestVersion]) bytes")
    }

    /// Returns the resource that the origin serves for a version.
    func resource(version: Int, request: Int) -> Resource {
        let key = SplitMix64.mix(seed &* 31 &+ UInt64(version))
        var resource = Resource(size: sizes[version], seed: key)
        resource.acceptsRanges = acceptsRanges
        identity.mark(&resource, seed: seed, version: version, request: request)
        if givesDigest, let digest = resource.digest(.sha256) {
            resource.fields.append(
                HTTPField(name: "Repr-Digest", value: "sha-256=:\(Base64.text(digest.bytes)):")
            )
        }
        return resource
    }

    package var description: String {
        let speed = bytesPerSecond.map { "\($0) B/s" } ?? "unpaced"
        let limit = connectionLimit.map { "\($0)" } ?? "no"
        return """
            seed \(seed), haste \(haste): identity \(identity.rawValue), versions of \(sizes) \
            bytes from requests \([1] + changes)\(flaps ? ", taking turns" : ""), \
            \(givesDigest ? "with a digest, " : "")\(acceptsRanges ? "" : "no ranges, ")\
            redirection \(redirection.rawValue), \(speed), \(limit) limit of connections; \
            the client: \(connections.map { "\($0)" } ?? "automatic") connections, \
            \(hasChecksum ? "the latest version's digest, " : "")\(retries) retries, stall timeout \(stallTimeout); \
            of \(faultyRequests) requests a run \(breakPercent) % break off and \
            \(faultPercent) % draw from \
            \(faults.map(\.name).joined(separator: " "))
            """
    }
}
