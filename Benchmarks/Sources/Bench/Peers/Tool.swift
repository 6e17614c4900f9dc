/// A program that fetches files, set up to do it as fast as it can.
protocol Tool: Sendable {
    var name: String { get }
    /// Nil for what it cannot do.
    func invocation(for job: Job) -> Invocation?
}

extension Tool {
    /// The row's name: the tool's, with its connections where they matter.
    func label(_ job: Job) -> String {
        if case .fixed(let count) = job.connections { "\(name) (\(count))" } else { name }
    }
}

/// All of them, `pawl` first.
struct Toolbox {
    static let pawlName = "pawl"

    let pawl: Pawl
    let curl = Curl()
    let wget2 = Wget2()
    let aria2 = Aria2()
    let axel = Axel()

    init(_ settings: BenchSettings) { pawl = Pawl(program: settings.pawl) }
}
