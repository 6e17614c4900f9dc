import Glibc
package import SystemPackage

/// A system call in which a program waits until the test lets it continue.
package final class HeldCall: Sendable {
    private let folder: ScratchFolder
    private let pipe: String

    /// Throws `Errno`.
    package init() throws(Errno) {
        folder = try ScratchFolder()
        pipe = folder.path("pipe")
        guard mkfifo(pipe, 0o600) == 0 else { throw Errno(rawValue: errno) }
    }

    /// The action of the program's `FaultPlan`.
    package var action: FaultPlan.Action { .hold(pipe) }

    /// Waits until the program is in the call.
    ///
    /// The program stays in it until the returned process has ended.
    package func reached() async throws(Errno) -> ProcessRunner {
        // Opening the pipe waits for the program, which then waits for the end of the pipe.
        let script = #"exec 3>"$0"; echo reached; exec tail -f /dev/null"#
        let holder = try ProcessRunner("sh", ["-c", script, pipe])
        await holder.waitForOutput(containing: "reached")
        return holder
    }
}
