internal import Logging
internal import PawlCore
internal import PawlStorage
internal import Synchronization

/// The cookie files of a session: its own, and those that the settings of its tasks name; also the
/// cookies of browsers that they name.
final class CookieFiles: Sendable {
    /// The cookies of a browser at one moment.
    private struct BrowserJar {
        let jar: CookieJar
        let readAt: Moment
    }

    /// The time after which the cookies of a browser are read again.
    private static let browserInterval: Duration = .seconds(300)

    /// The time that the keyring may take, for which downloads wait.
    private static let keyringSeconds = 10

    let files: SessionFiles<CookieJar>
    private let logger: Logger
    private let time = SystemTimekeeper()
    /// The cookies of browsers.
    ///
    /// They have a lock of their own: reading a browser may wait for the keyring, and the cookie
    /// files must not wait for that.
    private let browsers = Mutex<[BrowserProfile: BrowserJar]>([:])

    init(_ logger: Logger) {
        self.logger = logger
        files = SessionFiles(logger)
    }

    /// Returns the cookies of the file or the browser that the settings name; `nil` if they name
    /// neither.
    func jar(of settings: ConnectionSettings) -> CookieJar? {
        settings.cookieFile.map(files.values) ?? settings.browserProfile.map(jar)
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
