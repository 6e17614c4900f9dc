internal import Glibc

/// Short commands for preparation.
extension Workshop {
    /// Runs a command to its end.
    ///
    /// Returns its output; throws if it failed.
    @discardableResult
    func command(_ words: [String]) throws -> String {
        let log = root + "/command.log"
        let child = try ChildProcess(words, environment: environment, log: log)
        let status: Int32?
        do {
            status = try child.wait(until: .now.advanced(bySeconds: 60))
        } catch {
            child.end()
            throw error
        }
        guard let status else {
            child.end()
            throw BenchError("\(words.joined(separator: " ")): took longer than a minute")
        }
        let output = (try? Files.text(log)) ?? ""
        guard status == 0 else {
            throw BenchError("\(words.joined(separator: " ")): \(Files.lastLine(of: output))")
        }
        return output
    }

    /// Runs a command that undoes something, even if the benchmark was interrupted.
    ///
    /// A failure is ignored.
    func undo(_ words: [String]) {
        let log = root + "/command.log"
        guard let child = try? ChildProcess(words, environment: environment, log: log) else {
            return
        }
        if !child.hasEnded(withinSeconds: 10) { child.end() }
    }
}
