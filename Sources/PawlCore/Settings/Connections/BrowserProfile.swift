/// A browser on this machine.
public enum Browser: String, Hashable, Sendable, CaseIterable {
    case firefox, chromium, chrome, brave, edge, vivaldi, opera
}

/// A profile of a browser on this machine.
public struct BrowserProfile: Hashable, Sendable {
    /// The browser to which it belongs.
    public var browser: Browser
    /// The profile: for Firefox its name or the name of its folder, for other browsers the name of its
    /// folder, such as `Profile 1`; or the absolute path of the folder.
    ///
    /// `nil`, the default, is the profile that Firefox opens, or the folder `Default` of other
    /// browsers.
    public var profile: String?

    /// Creates the value.
    public init(_ browser: Browser, profile: String? = nil) {
        self.browser = browser
        self.profile = profile
    }
}

extension BrowserProfile {
    /// Reads `browser` or `browser:profile`.
    package static func parse(_ text: String) throws(ValueError) -> BrowserProfile {
        let pieces = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let name = pieces.first.map(String.init) ?? ""
        guard let browser = Browser(rawValue: name.lowercased()) else {
            throw ValueError("'\(name.sanitized(atMost: 40))' is not a known browser", advice: form)
        }
        guard pieces.count > 1 else { return BrowserProfile(browser) }
        let profile = String(pieces[1])
        guard !profile.isEmpty, !profile.holdsUnsafeToShow else {
            throw ValueError("the name of the profile is not valid", advice: form)
        }
        guard profile.isAbsolutePath || profile.pathFile == profile else {
            throw ValueError(
                "'\(profile.sanitized(atMost: 200))' is not an absolute path",
                advice: "give the profile's name, or a path that starts with /"
            )
        }
        return BrowserProfile(browser, profile: profile)
    }

    package var text: String { browser.rawValue + (profile.map { ":\($0)" } ?? "") }

    private static let form: Advice = {
        let names = Browser.allCases.map(\.rawValue)
        return "use \(names.dropLast().joined(separator: ", ")) or \(names.last ?? "")"
            + ", and for another profile browser:profile"
    }()
}
