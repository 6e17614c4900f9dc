package import PawlCore
internal import PawlStorage

/// The folder in which a browser looks for the native hosts of the user.
package struct NativeHostFolder: Sendable {
    package let browser: Browser
    package let path: String
    /// Whether the user has used the browser.
    package let isUsed: Bool

    /// Returns the folders of all browsers that can start native hosts.
    package static func all() throws(DownloadError) -> [NativeHostFolder] {
        let folders = try BrowserFolders.current()
        return Browser.allCases.compactMap { browser in
            folders.nativeHosts(of: browser).map { path in
                NativeHostFolder(browser: browser, path: path, isUsed: folders.isUsed(browser))
            }
        }
    }
}
