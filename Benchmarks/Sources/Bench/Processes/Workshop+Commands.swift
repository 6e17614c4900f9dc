internal import Glibc

/// Short commands that prepare something.
extension Workshop {
    /// Runs a command to its end and returns what it printed; throws if it failed.
    @discardableResult
    func command(_ words: [String]) throws -> String {
        let log = root + "/command.log"
        let child = try ChildProcess(words, environment: environment, log: log)
        guard let status = try child.wait(until: Moment.now.advanced(bySeconds: 60)) else {
            child.end()
            throw BenchError("\(words.joined(separator: " ")): took longer than a minute")
        }
        let output = (try? Files.text(log)) ?? ""
        guard status == 0 else {
            throw BenchError("\(words.joined(separator: " ")): \(Files.lastLine(of: output))")
        }
        return output
    }
}
