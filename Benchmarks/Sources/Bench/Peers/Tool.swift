/// A program that fetches files, configured for maximum speed.
protocol Tool: Sendable {
    var name: String { get }
    /// Returns the command; `nil` if the tool cannot do the job.
    func invocation(for job: Job) -> Invocation?
}

extension Tool {
    /// Returns the row's name: the tool's, with the number of connections if one was requested.
    func label(_ job: Job) -> String {
        if case .fixed(let count) = job.connections { "\(name) (\(count))" } else { name }
    }
}

/// All tools, `pawl` first.
struct Toolbox {
    static let pawlName = "pawl"

    let pawl: Pawl
    let curl = Curl()
    let wget2 = Wget2()
    let aria2 = Aria2()
    let axel = Axel()
    let lftp = Lftp()

    init(_ settings: BenchSettings) { pawl = Pawl(program: settings.pawl) }
}
