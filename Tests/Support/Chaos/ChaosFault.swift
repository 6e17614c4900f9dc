import PawlCore

/// A fault in one answer.
struct ChaosFault: Sendable {
    /// The percentage of scenarios that include the fault.
    enum Frequency: Int {
        /// A fault that makes a client retry, so that more can happen.
        case often = 60
        case normal = 30
        /// A fault at which a correct client gives up at once.
        case seldom = 8
    }

    let name: String
    let frequency: Frequency
    private let change: @Sendable (inout ChaosAnswer, inout SplitMix64) -> String

    /// Creates a fault.
    ///
    /// `change` returns the values that it drew, which are shown after the name.
    init(
        _ name: String,
        _ frequency: Frequency = .normal,
        _ change: @escaping @Sendable (inout ChaosAnswer, inout SplitMix64) -> String
    ) {
        self.name = name
        self.frequency = frequency
        self.change = change
    }

    func apply(to answer: inout ChaosAnswer, _ random: inout SplitMix64) {
        let detail = change(&answer, &random)
        answer.faults.append(detail.isEmpty ? name : "\(name)(\(detail))")
    }

    static let all = replacements + redirects + ranges + lengths + bodies + timing
}

/// An answer that starts correct and that faults change.
struct ChaosAnswer: Sendable {
    enum Body: Sendable {
        /// Bytes of the file, or bytes that the server presents as the file.
        case file(label: String, Resource)
        /// A body that status 200 presents as the file although it is not.
        case impostor(label: String)
        /// A response that no client could take for the file.
        case nothing
    }

    let exchange: OriginExchange
    let haste: Int
    let version: Int
    let resource: Resource
    var reply: Reply
    var body: Body
    var faults: [String] = []

    init(_ exchange: OriginExchange, version: Int, resource: Resource, haste: Int) {
        self.exchange = exchange
        self.version = version
        self.resource = resource
        self.haste = haste
        reply = .resource(resource)
        body = .file(label: "version \(version)", resource)
    }

    /// The number of bytes in a correct answer.
    var length: Int64 {
        guard resource.acceptsRanges, let range = exchange.range else { return resource.size }
        return range.resolve(size: resource.size)?.count ?? 0
    }

    /// Draws an offset within the body.
    func offset(_ random: inout SplitMix64) -> Int64 {
        Int64.random(in: 0...max(0, length), using: &random)
    }

    /// Draws a duration by the client's clock.
    func time(_ milliseconds: ClosedRange<Int>, _ random: inout SplitMix64) -> Duration {
        .microseconds(Int.random(in: milliseconds, using: &random) * 1000 / haste)
    }

    /// Replaces the answer with something that is not the file.
    mutating func replace(with reply: Reply) {
        self.reply = reply
        body = .nothing
    }
}
