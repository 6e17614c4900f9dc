internal import Glibc
package import PawlCore
internal import SystemPackage

/// Where browsers keep their profiles, and look for native hosts.
package struct BrowserFolders: Sendable {
    private let home: String
    private let configuration: String

    init(home: String, configuration: String? = nil) {
        self.home = home
        self.configuration = configuration ?? "\(home)/.config"
    }

    package static func current() throws(DownloadError) -> BrowserFolders {
        let surroundings = try SystemPlaces.surroundings()
        guard let home = surroundings.home else {
            throw DownloadError(
                .directoryNotUsable,
                "cannot find the profiles of browsers: there is no home folder",
                advice: "set HOME"
            )
        }
        return BrowserFolders(home: home, configuration: surroundings.path(in: "XDG_CONFIG_HOME"))
    }

    /// The database of a profile of Firefox; `nil` is the profile that Firefox opens.
    func firefoxStore(_ profile: String?) throws(DownloadError) -> FilePath {
        let name = "cookies.sqlite"
        if let profile, profile.isAbsolutePath {
            return try found([profile + "/" + name], .firefox)
        }
        let roots = [
            "\(home)/.mozilla/firefox", "\(configuration)/mozilla/firefox",
            "\(home)/snap/firefox/common/.mozilla/firefox",
            "\(home)/.var/app/org.mozilla.firefox/.mozilla/firefox",
        ]
        var files: [String] = []
        for root in roots {
            let profiles = FirefoxProfiles(text(of: "\(root)/profiles.ini"))
            files += profiles.folders(named: profile).map { folder in
                "\(folder.isAbsolutePath ? folder : "\(root)/\(folder)")/\(name)"
            }
        }
        return try found(files, .firefox)
    }

    /// The database of a profile of Chromium or a browser that is made from it; `nil` is the
    /// profile `Default`.
    func chromiumStore(_ profile: BrowserProfile) throws(DownloadError) -> FilePath {
        // Since 2021 the file is in a folder of the network service.
        let names = ["Network/Cookies", "Cookies"]
        var folders: [String] = []
        if let name = profile.profile, name.isAbsolutePath {
            folders = [name, name + "/Default"]
        } else {
            folders = roots(of: profile.browser).map { "\($0)/\(profile.profile ?? "Default")" }
            // Opera has only one profile, at the top.
            if profile.profile == nil { folders += roots(of: profile.browser) }
        }
        return try found(
            folders.flatMap { folder in names.map { "\(folder)/\($0)" } },
            profile.browser
        )
    }

    /// Returns the folder in which a browser looks for the native hosts of the user; `nil` if it is
    /// not known.
    ///
    /// A browser in a sandbox cannot start programs outside of it, so its folders are left out.
    package func nativeHosts(of browser: Browser) -> String? {
        switch browser {
        case .firefox: "\(home)/.mozilla/native-messaging-hosts"
        case .chromium, .chrome, .brave, .edge:
            roots(of: browser).first.map { "\($0)/NativeMessagingHosts" }
        case .vivaldi, .opera: nil
        }
    }

    /// Returns whether the user has used a browser outside of a sandbox: it has a folder.
    package func isUsed(_ browser: Browser) -> Bool {
        // Firefox keeps new profiles in the second one, but looks for native hosts in the first only.
        let folders =
            browser == .firefox
            ? ["\(home)/.mozilla", "\(configuration)/mozilla"] : roots(of: browser).prefix(1)
        return folders.contains { access($0, F_OK) == 0 }
    }

    private func roots(of browser: Browser) -> [String] {
        switch browser {
        case .firefox: []
        case .chromium:
            [
                "\(configuration)/chromium", "\(home)/snap/chromium/common/chromium",
                "\(home)/.var/app/org.chromium.Chromium/config/chromium",
            ]
        case .chrome:
            [
                "\(configuration)/google-chrome",
                "\(home)/.var/app/com.google.Chrome/config/google-chrome",
            ]
        case .brave:
            [
                "\(configuration)/BraveSoftware/Brave-Browser",
                "\(home)/.var/app/com.brave.Browser/config/BraveSoftware/Brave-Browser",
            ]
        case .edge: ["\(configuration)/microsoft-edge"]
        case .vivaldi: ["\(configuration)/vivaldi"]
        case .opera: ["\(configuration)/opera"]
        }
    }

    private func found(_ files: [String], _ browser: Browser) throws(DownloadError) -> FilePath {
        for file in files where (try? FilePath(file).targetStatus()?.isRegular) == true {
            return FilePath(file)
        }
        throw DownloadError(
            .fileUnreadable,
            "found no cookies of \(browser.rawValue) in that profile",
            advice: "name the profile or its folder: \(browser.rawValue):PROFILE",
            context: "looking for the cookies of \(browser.rawValue)"
        )
    }

    private func text(of path: String) -> String {
        guard let file = try? OpenFile(FilePath(path), O_RDONLY),
            let bytes = try? file.contents(limit: 1 << 20)
        else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// The list of Firefox's profiles, `profiles.ini`.
struct FirefoxProfiles {
    private struct Section {
        var title: String
        var values: [String: String] = [:]
    }

    private var sections: [Section] = []

    init(_ text: String) {
        for line in text.split(whereSeparator: \.isNewline).map({ $0.trimmed(of: " \t\r") }) {
            if line.hasPrefix("["), line.hasSuffix("]") {
                sections.append(Section(title: String(line.dropFirst().dropLast())))
            } else if let sign = line.firstIndex(of: "="), !sections.isEmpty {
                let value = String(line[line.index(after: sign)...])
                sections[sections.count - 1].values[String(line[..<sign])] = value
            }
        }
    }

    /// The folders of the profiles with a name, the most likely first; without a name, that of the
    /// profile that Firefox opens, then the others.
    func folders(named name: String?) -> [String] {
        let profiles = sections.filter { $0.title.hasPrefix("Profile") }
        guard let name else {
            let opened = sections.filter { $0.title.hasPrefix("Install") }
                .compactMap { $0.values["Default"] }
            let marked = profiles.filter { $0.values["Default"] == "1" }
            return opened + (marked + profiles).compactMap { $0.values["Path"] }
        }
        return profiles.filter { $0.values["Name"] == name || $0.values["Path"] == name }
            .compactMap { $0.values["Path"] }
    }
}
