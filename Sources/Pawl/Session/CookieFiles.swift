internal import Logging
internal import PawlCore
internal import PawlEngine
internal import PawlStorage
internal import Synchronization

/// The cookie files of a session: its own, and those that the settings of its tasks name; also the
/// cookies of browsers that they name.
final class CookieFiles: Sendable {
    private struct State {
        var files: [String: CookieFile] = [:]
        weak var engine: Engine?
    }

    /// The cookies of a browser at one moment.
    private struct BrowserJar {
        let jar: CookieJar
        let readAt: Moment
    }

    /// The time after which the cookies of a browser are read again.
    private static let browserInterval: Duration = .seconds(300)

    /// The time that the keyring may take, for which downloads wait.
    private static let keyringSeconds = 10

    private let logger: Logger
    private let time = SystemTimekeeper()
    private let state = Mutex(State())
    /// Not with the files, which would wait while the keyring is asked.
    private let browsers = Mutex<[BrowserProfile: BrowserJar]>([:])

    init(_ logger: Logger) { self.logger = logger }

    /// Whether no file was named, so that there is nothing to write.
    var isEmpty: Bool { state.withLock { $0.files.isEmpty } }

    /// Returns the cookies of the file or the browser that the settings name; `nil` if they name
    /// neither.
    func jar(of settings: ConnectionSettings) -> CookieJar? {
        settings.cookieFile.map(jar) ?? settings.browserProfile.map(jar)
    }

    /// Returns the cookies of a browser, which are read when it is first named, and again after five
    /// minutes.
    private func jar(of profile: BrowserProfile) -> CookieJar {
        let now = time.now()
        return browsers.withLock { browsers in
            if let known = browsers[profile], now - known.readAt < Self.browserInterval {
                return known.jar
            }
            let jar: CookieJar
            do throws(DownloadError) {
                let cookies = try BrowserCookies.read(profile) {
                    (browser) throws(DownloadError) in
                    try Keyring.password(of: browser, seconds: Self.keyringSeconds)
                }
                jar = CookieJar(cookies)
            } catch {
                logger.warning("no cookies of \(profile.browser.rawValue) are sent: \(error)")
                jar = CookieJar()
            }
            browsers[profile] = BrowserJar(jar: jar, readAt: now)
            return jar
        }
    }

    /// Returns the cookies of a file, which is read the first time that it is named.
    func jar(of path: String) -> CookieJar {
        state.withLock { state in
            if let known = state.files[path] { return known.jar }
            let file = CookieFile(path, logger)
            state.files[path] = file
            if let engine = state.engine { file.follow(with: engine) }
            return file.jar
        }
    }

    /// Writes the files when their cookies change.
    func follow(with engine: Engine) {
        let files = state.withLock { state in
            state.engine = engine
            return Array(state.files.values)
        }
        for file in files { file.follow(with: engine) }
    }

    /// Writes what has changed; it blocks.
    func save() {
        for file in state.withLock({ Array($0.files.values) }) { file.save() }
    }
}

extension BrowserProfile {
    /// Throws if the cookies of the profile cannot be read.
    ///
    /// It blocks, and may ask for the password of the keyring.
    package func checkCookies() throws(DownloadError) {
        _ = try BrowserCookies.read(self) { (browser) throws(DownloadError) in
            try Keyring.password(of: browser)
        }
    }
}
