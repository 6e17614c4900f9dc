internal import struct FoundationEssentials.Date
internal import Glibc
internal import Logging
internal import PawlCore
internal import PawlEngine
internal import PawlStorage
internal import Synchronization
internal import SystemPackage

/// A file in which a session keeps values, such as cookies.
final class SessionFile<Values: FiledValues>: Sendable {
    private struct Schedule {
        var isScheduled = false
        var lastWrite: Moment?
        /// The latest warning, which is not repeated.
        var warning: String?
    }

    let values: Values
    private let file: PrivateFile
    private let logger: Logger
    /// The values when the file was last written; `nil` if the file cannot be used.
    ///
    /// It is locked while the file is written.
    private let saved: Mutex<Values.Content.Snapshot?>
    private let schedule = Mutex(Schedule())

    /// Reads the file.
    ///
    /// If the path names a pipe, its values are kept in memory and not written.
    init(_ given: String, _ logger: Logger) {
        // The current folder may change; without one, the path is taken as it is.
        let path = (try? FilePath(given).absoluteText()) ?? given
        self.logger = logger
        file = PrivateFile(
            path: path,
            what: Values.fileName,
            advice: "check the path and its permissions"
        )
        if let text = OnceReadFiles.text(of: given) {
            values = Values(Self.content(text))
            saved = Mutex(nil)
            return
        }
        do throws(DownloadError) {
            values = Values(Self.content(try Self.read(file)))
            saved = Mutex(values.snapshot)
        } catch {
            logger.warning("the session's \(Values.contentName) are only in memory: \(error)")
            values = Values(Self.content(""))
            saved = Mutex(nil)
        }
    }

    /// Writes the file when values change.
    func follow(with engine: Engine) {
        let (time, pool) = (engine.time, engine.disk)
        let save: @Sendable () -> Void = { [weak self] in
            pool.start { [weak self] _ in self?.save(at: time.now()) }
        }
        let alarms = engine.alarms
        // The alarm lasts as long as the session's clock.
        let alarm = alarms.enroll(save)
        values.observe { [weak self, weak alarms] in
            let now = time.now()
            guard let due = self?.nextWrite(at: now) else { return }
            if due <= now { save() } else { alarms?.set(alarm, at: due) }
        }
    }

    /// Returns the time of the next write; `nil` if it is already scheduled.
    private func nextWrite(at now: Moment) -> Moment? {
        // Between two writes.
        let interval: Duration = .seconds(3)
        return schedule.withLock { schedule in
            guard !schedule.isScheduled else { return nil }
            schedule.isScheduled = true
            return schedule.lastWrite.map { max(now, $0 + interval) } ?? now
        }
    }

    private func save(at now: Moment) {
        schedule.withLock { ($0.isScheduled, $0.lastWrite) = (false, now) }
        save()
    }

    /// Writes what has changed since the last time.
    ///
    /// It blocks.
    func save() {
        saved.withLock { saved in
            let values = values.snapshot
            guard let before = saved, before != values else { return }
            do throws(DownloadError) {
                try file.exclusively { () throws(DownloadError) in
                    let old = try Self.read(file)
                    guard
                        let new = Values.Content.text(
                            changing: old,
                            from: before,
                            to: values,
                            at: Self.now
                        )
                    else { return }
                    try file.write(LosslessText.bytes(of: new), .replace)
                }
                saved = values
            } catch {
                warn("\(Values.contentName) were not written: \(error)")
            }
        }
    }

    /// Logs a warning unless it is the latest one again.
    private func warn(_ text: String) {
        let isNew = schedule.withLock { schedule in
            defer { schedule.warning = text }
            return schedule.warning != text
        }
        if isNew { logger.warning("\(text)") }
    }

    private static func read(_ file: PrivateFile) throws(DownloadError) -> String {
        let bytes: [UInt8]
        do throws(Errno) {
            let found = try OpenFile(FilePath(file.path), O_RDONLY | O_NONBLOCK)
            let status = try found.status()
            guard status.isRegular, status.size <= Values.Content.mostBytes else {
                throw Errno.fileTooLarge
            }
            bytes = try found.contents(limit: Values.Content.mostBytes)
        } catch .noSuchFileOrDirectory {
            bytes = []
        } catch {
            throw file.failure("\(error)", "reading")
        }
        let text = LosslessText.text(of: bytes)
        guard Values.Content.isValid(text) else {
            throw file.failure("it has another format", "reading")
        }
        return text
    }

    private static func content(_ text: String) -> Values.Content { Values.Content(text, at: now) }

    private static var now: Int64 { Int64(Date().timeIntervalSince1970) }
}
