internal import Glibc

/// One run of a measured program.
struct ProgramRun {
    /// The end of a run and its cost.
    struct Result {
        let measurement: Measurement
        /// The status as from `wait`.
        let status: Int32

        /// The failure; `nil` if the run succeeded.
        var fault: String? {
            let signal = status & 0x7F
            if signal != 0 { return "terminated by signal \(signal)" }
            return status == 0 ? nil : "exit status \((status >> 8) & 0xFF)"
        }
    }

    let child: ChildProcess
    private let resultPath: String
    private let logPath: String

    /// Starts the program in the folder of downloads, in a network namespace if one is given.
    init(_ invocation: Invocation, in workshop: Workshop, network: String? = nil) throws {
        resultPath = workshop.root + "/result.txt"
        logPath = workshop.root + "/output.log"
        Files.remove(resultPath)
        if let list = invocation.list {
            try Files.write(list, to: workshop.downloads + "/" + Invocation.listPath)
        }
        let entering = network.map { ["ip", "netns", "exec", $0] } ?? []
        child = try ChildProcess(
            entering + [workshop.settings.launcher, "measure", resultPath, workshop.downloads]
                + invocation.words,
            environment: workshop.environment + invocation.environment,
            log: logPath
        )
    }

    /// The time when the program itself was started; `nil` if it has not been started yet.
    var began: Moment? {
        (try? Files.text(resultPath)).flatMap { text in
            text.split(separator: "\n").first.flatMap { Int64($0) }.map(Moment.init)
        }
    }

    /// The last line of its output.
    var lastWords: String { Files.lastLine(of: (try? Files.text(logPath)) ?? "") }

    /// Waits for its end; if that takes too long, ends the program and returns `nil`.
    func finish(withinSeconds seconds: Double) throws -> Result? {
        let status: Int32?
        do {
            status = try child.wait(until: Moment.now.advanced(bySeconds: seconds))
        } catch {
            child.end(SIGKILL)
            throw error
        }
        guard let status else {
            child.end(SIGKILL)
            return nil
        }
        guard status == 0 else { throw BenchError("the launcher: \(lastWords)") }
        let lines = try Files.text(resultPath).split(separator: "\n")
        let numbers = lines.last?.split(separator: " ").compactMap { Int64($0) } ?? []
        guard lines.count == 2, numbers.count == 5, let began
        else { throw BenchError("the launcher wrote no result") }
        return Result(
            measurement: Measurement(
                wallSeconds: Moment(nanoseconds: numbers[0]).seconds(since: began),
                cpuSeconds: Double(numbers[1] + numbers[2]) / 1_000_000,
                peakBytes: Double(numbers[3] * 1024)
            ),
            status: Int32(truncatingIfNeeded: numbers[4])
        )
    }
}
