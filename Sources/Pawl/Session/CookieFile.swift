internal import struct FoundationEssentials.Date
internal import Glibc
internal import Logging
internal import PawlCore
internal import PawlEngine
internal import PawlStorage
internal import Synchronization
internal import SystemPackage

/// A file in which a session keeps cookies.
final class CookieFile: Sendable {
    /// The time between two writes.
    private static let interval: Duration = .seconds(3)

    private struct Schedule {
        var isScheduled = false
        var lastWrite: Moment?
    }

    let jar: CookieJar
    private let file: PrivateFile
    private let logger: Logger
    /// The cookies of the jar when the file was last written; `nil` if the file cannot be used.
    ///
    /// It is locked while the file is written.
    private let saved: Mutex<[CookieLine]?>
    private let schedule = Mutex(Schedule())

    /// Reads the file.
    init(_ given: String, _ logger: Logger) {
        // The current folder may change; without one, the path is taken as it is.
        let path = (try? FilePath(given).absoluteText()) ?? given
        self.logger = logger
        file = PrivateFile(
            path: path,
            what: "the cookie file",
            advice: "check the path and its permissions"
        )
        do throws(DownloadError) {
            jar = CookieJar(try Self.read(file).cookies)
            saved = Mutex(jar.cookies)
        } catch {
            logger.warning("the session's cookies are only in memory: \(error)")
            jar = CookieJar()
            saved = Mutex(nil)
        }
    }

    /// Writes the file when cookies change.
    func follow(with engine: Engine) {
        let (time, pool) = (engine.time, engine.disk)
        let save: @Sendable () -> Void = { [weak self] in
            pool.start { [weak self] _ in self?.save(at: time.now()) }
        }
        let alarms = engine.alarms
        // The alarm lasts as long as the session's clock.
        let alarm = alarms.enroll(save)
        jar.observe { [weak self, weak alarms] in
            let now = time.now()
            guard let due = self?.nextWrite(at: now) else { return }
            if due <= now { save() } else { alarms?.set(alarm, at: due) }
        }
    }

    /// Returns the time of the next write; `nil` if it is already scheduled.
    private func nextWrite(at now: Moment) -> Moment? {
        schedule.withLock { schedule in
            guard !schedule.isScheduled else { return nil }
            schedule.isScheduled = true
            return schedule.lastWrite.map { max(now, $0 + Self.interval) } ?? now
        }
    }

    private func save(at now: Moment) {
        schedule.withLock { $0 = Schedule(isScheduled: false, lastWrite: now) }
        save()
    }

    /// Writes what has changed since the last time.
    ///
    /// It blocks.
    func save() {
        saved.withLock { saved in
            let cookies = jar.cookies
            guard let before = saved, before != cookies else { return }
            do throws(DownloadError) {
                try file.exclusively { () throws(DownloadError) in
                    let now = Self.now
                    let old = try Self.read(file)
                    var new = old
                    new.apply(from: before, to: cookies, at: now)
                    guard new != old else { return }
                    try file.write(LosslessText.bytes(of: new.text), .replace)
                }
                saved = cookies
            } catch {
                logger.warning("cookies were not written: \(error)")
            }
        }
    }

    private static func read(_ file: PrivateFile) throws(DownloadError) -> CookieFileContent {
        let bytes: [UInt8]
        do throws(Errno) {
            let found = try OpenFile(FilePath(file.path), O_RDONLY | O_NONBLOCK)
            let status = try found.status()
            guard status.isRegular, status.size <= CookieFileContent.mostBytes else {
                throw Errno.fileTooLarge
            }
            bytes = try found.contents(limit: CookieFileContent.mostBytes)
        } catch .noSuchFileOrDirectory {
            bytes = []
        } catch {
            throw file.failure("\(error)", "reading")
        }
        return CookieFileContent(LosslessText.text(of: bytes), at: now)
    }

    private static var now: Int64 { Int64(Date().timeIntervalSince1970) }
}
