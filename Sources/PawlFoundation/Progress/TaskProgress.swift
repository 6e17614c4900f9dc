public import Foundation
public import Pawl
internal import PawlCore
internal import Synchronization

/// A task's progress as Foundation's `Progress`.
///
/// ```swift
/// let progress = task.foundationProgress()
/// all.addChild(progress, withPendingUnitCount: 1)
/// task.resume()
/// ```
///
/// The units are bytes. The total is -1, which means that the progress is indeterminate, until the
/// size is known. The last byte counts only when the task has succeeded, so `isFinished` means that
/// the file is complete and has its name. A finished file of 0 bytes counts as one unit of one.
///
/// `pause()` pauses a download task and suspends a data task, `resume()` starts or continues the
/// task, and `cancel()` cancels it. So do these methods of a parent. `isPaused` and `isCancelled`
/// also follow the task's own methods. A task that fails leaves its progress where it is.
///
/// The counts are updated ten times per second until the task ends or this object is released. On
/// Linux, a `Progress` is not safe to change on several threads at the same time, and has no
/// key-value observing. So the counts of all tasks are updated one at a time, on the session's
/// `delegateExecutor`: if you build a tree while tasks run, use `.mainActor` and build it there.
public final class TaskProgress: Progress, @unchecked Sendable {
    private struct Shown {
        var progress: DownloadProgress
        /// Whether the task was paused or suspended at the last update.
        var isHeld: Bool
    }

    private let task: SessionTask
    private let shown: Mutex<Shown>
    /// Serializes the handlers, which Foundation calls on any thread and in any order.
    private let handling = Mutex(())
    /// Serializes the updates of all objects: several may have one parent, which each changes.
    private static let updating = Mutex(())

    init(_ task: SessionTask) {
        self.task = task
        shown = Mutex(Shown(progress: task.currentProgress, isHeld: false))
        super.init(parent: nil, userInfo: nil)
        kind = .file
        isCancellable = true
        isPausable = true
        cancellationHandler = { [task] in task.cancel() }
        pausingHandler = { [weak self] in self?.followPause() }
        resumingHandler = { [weak self] in self?.followPause() }
        update(task.currentProgress)
    }

    /// The entries of a `Progress` for a file: the speed, the time left, the file's URL, and the
    /// kind `downloading`.
    ///
    /// Entries that you have set take precedence.
    public override var userInfo: [ProgressUserInfoKey: Any] {
        let progress = shown.withLock { $0.progress }
        var info: [ProgressUserInfoKey: Any] = [
            .fileOperationKindKey: Progress.FileOperationKind.downloading
        ]
        if progress.bytesPerSecond > 0 {
            info[.throughputKey] = Int(clamping: Int64(progress.bytesPerSecond))
        }
        if let time = progress.timeLeft { info[.estimatedTimeRemainingKey] = time.seconds }
        if let url = taskFileURL { info[.fileURLKey] = url }
        return info.merging(super.userInfo) { _, own in own }
    }

    /// The file URL of a download task's file, once its name is known.
    ///
    /// The URL of a temporary file is known when the task has finished.
    private var taskFileURL: URL? {
        let path = (task as? DownloadTask)?.shownPath
        return path.map { URL(filePath: $0, directoryHint: .notDirectory) }
    }

    /// Holds or continues the task, whatever was requested last.
    private func followPause() {
        handling.withLock { _ in
            guard isPaused != task.isHeld else { return }
            if !isPaused {
                task.resume()
            } else if let task = task as? DownloadTask {
                task.askToPause()
            } else {
                task.suspend()
            }
        }
    }

    // MARK: - Following the task

    /// Shows the progress of the task until it has ended or nobody holds the object, which `find`
    /// returns.
    static func follow(_ task: SessionTask, _ find: @Sendable () -> TaskProgress?) async {
        let session = task.session
        let executor = session.configuration.delegateExecutor
        for await progress in task.progress {
            guard let own = find() else { return }
            let update = { @Sendable in updating.withLock { _ in own.update(progress) } }
            await executor.run(update, in: session)
        }
    }

    private func update(_ progress: DownloadProgress) {
        let (state, isHeld) = (task.state, task.isHeld)
        let hasChanged = shown.withLock { shown in
            defer { shown = Shown(progress: progress, isHeld: isHeld) }
            return shown.isHeld != isHeld
        }
        // What was requested of this object a moment ago may not have reached the task yet.
        if hasChanged, isPaused != isHeld { setPaused(isHeld) }
        if state == .cancelled, !isCancelled { setCancelled() }
        show(progress, isFinished: state == .finished)
    }

    #if canImport(ObjectiveC)
    // There, only these methods set the properties.
    private func setPaused(_ isPaused: Bool) { isPaused ? pause() : resume() }
    private func setCancelled() { cancel() }
    #else
    private func setPaused(_ isPaused: Bool) { self.isPaused = isPaused }
    private func setCancelled() { isCancelled = true }
    #endif

    private func show(_ progress: DownloadProgress, isFinished: Bool) {
        var (completed, total) = (progress.completedBytes, progress.totalBytes ?? -1)
        if isFinished {
            total = max(1, completed)
            completed = total
        } else if total >= 0 {
            total = max(1, total)
            completed = min(completed, total - 1)
        }
        // In between, the counts must not be equal: a parent takes that for the end.
        if completed < completedUnitCount {
            completedUnitCount = completed
            totalUnitCount = total
        } else {
            totalUnitCount = total
            completedUnitCount = completed
        }
    }
}

#if !canImport(ObjectiveC)
/// The properties that Apple's `Progress` has for its entries in `userInfo`.
extension TaskProgress {
    /// The speed in bytes per second; `nil` if the task receives nothing.
    public var throughput: Int? { userInfo[.throughputKey] as? Int }

    /// The remaining time in seconds; `nil` if it is not known.
    public var estimatedTimeRemaining: TimeInterval? {
        userInfo[.estimatedTimeRemainingKey] as? TimeInterval
    }

    /// The file URL of a download task's file, once its name is known.
    public var fileURL: URL? { userInfo[.fileURLKey] as? URL }
}
#endif

extension SessionTask {
    fileprivate var isHeld: Bool { state == .paused || state == .suspended }

    /// Creates a `Progress` that follows the task until the task has ended or the object is
    /// released.
    ///
    /// Each call creates another object. Reading it does not start the task.
    public func foundationProgress() -> TaskProgress {
        let progress = TaskProgress(self)
        // The caller or a parent holds the object.
        Task.detached { [self, weak progress] in
            await TaskProgress.follow(self) { [weak progress] in progress }
        }
        return progress
    }
}
