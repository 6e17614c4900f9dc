internal import PawlEngine

/// A run of a task that needs a Swift task.
struct TaskRun: Sendable {
    let task: SessionTask
    let slot: RunSlot
    /// What the lane for small files has left; `nil` if the run was not in it.
    var handover: Handover?

    func perform() async { await task.perform(self) }
}
