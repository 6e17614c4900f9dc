import PawlCore

/// One thing that goes wrong with an answer.
struct ChaosFault: Sendable {
    /// In how many of a hundred scenarios it is drawn from.
    enum Frequency: Int {
        /// It makes a client ask again, so that more can happen.
        case often = 60
        case normal = 30
        /// A sound client gives up at once.
        case seldom = 8
    }

    let name: String
    let frequency: Frequency
    private let change: @Sendable (inout ChaosAnswer, inout SplitMix64) -> String

    /// `change` returns what it drew, to be shown behind the name.
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

/// An answer on its way from a good one to what its faults make of it.
struct ChaosAnswer: Sendable {
    enum Body: Sendable {
        /// Bytes of the file, or of what the server gives out as the file.
        case file(label: String, Resource)
        /// Something that says by status 200 that it is the file, and is not.
        case impostor(label: String)
        /// Nothing that a client could take for the file.
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

    /// How many bytes a good answer has.
    var length: Int64 {
        guard resource.acceptsRanges, let range = exchange.range else { return resource.size }
        return range.resolve(size: resource.size)?.count ?? 0
    }

    /// A place within the body.
    func place(_ random: inout SplitMix64) -> Int64 {
        Int64.random(in: 0...max(0, length), using: &random)
    }

    /// A time by the client's clock.
    func time(_ milliseconds: ClosedRange<Int>, _ random: inout SplitMix64) -> Duration {
        .microseconds(Int.random(in: milliseconds, using: &random) * 1000 / haste)
    }

    /// Puts something that is no file in place of the answer.
    mutating func replace(with reply: Reply) {
        self.reply = reply
        body = .nothing
    }
}
