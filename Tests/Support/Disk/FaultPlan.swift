/// A system call of a program that fails, and how it fails: the environment that the fault shim
/// reads.
package struct FaultPlan: Sendable {
    /// The calls that the shim can count and fail; `rename` and `renameat2` count as one.
    ///
    /// A written `attribute` is identified by its own name, not by its file's name.
    package enum Call: String, Sendable, CaseIterable {
        case open, write, pwrite, fdatasync, fsync, ftruncate, fallocate, rename, link, unlink
        case attribute
    }

    package enum Action: Sendable {
        /// The call fails with the given error number and does nothing.
        case fail(Int32)
        /// A write takes only half of its bytes; other calls succeed.
        case short
        /// The process is killed before the call.
        case killBefore
        /// The process is killed after the call.
        case killAfter
        /// The call waits until a ``HeldCall`` with this pipe lets it continue, and then succeeds.
        case hold(String)
    }

    /// The calls to count; if empty, all calls count.
    package var calls: Set<Call>
    package var action: Action
    /// The number of the counted call that fails, from 1, over all threads; 0 only counts.
    package var number: Int
    /// Whether all later calls fail too, as on a disk that stays full.
    package var persists = false
    /// Whether the process is killed at the next counted call after the failed one.
    package var thenKills = false
    /// The text that a file's path or an attribute's name must contain for a call to count; if
    /// empty, all calls count.
    package var path = ""
    /// The file that receives the counts when the program exits by itself.
    package var countFile: String?

    package init(_ action: Action, at number: Int, of calls: Set<Call> = []) {
        self.action = action
        self.number = number
        self.calls = calls
    }

    /// Returns a plan that only counts, to find the number of calls that can fail.
    package static func counting(_ calls: Set<Call> = [], into file: String) -> FaultPlan {
        var plan = FaultPlan(.short, at: 0, of: calls)
        plan.countFile = file
        return plan
    }

    /// Returns the variables for `ProcessSettings.environment`, given the path of the shim's
    /// library.
    package func environment(library: String) -> [String: String?] {
        let names = calls.map(\.rawValue).sorted().joined(separator: "+")
        let suffix = persists ? ":persists" : thenKills ? ":then-kill" : ""
        return [
            "LD_PRELOAD": library,
            "PAWL_FAULT": "\(names.isEmpty ? "any" : names):\(actionText):\(number)\(suffix)",
            "PAWL_FAULT_PATH": path.isEmpty ? nil : path,
            "PAWL_FAULT_COUNT": countFile,
            "PAWL_FAULT_HOLD": pipe,
        ]
    }

    private var actionText: String {
        switch action {
        case .fail(let number): "\(number)"
        case .short: "short"
        case .killBefore: "kill"
        case .killAfter: "kill-after"
        case .hold: "hold"
        }
    }

    /// The pipe of a call that waits; `nil` if no call does.
    private var pipe: String? {
        if case .hold(let pipe) = action { pipe } else { nil }
    }
}
