internal import PawlCore

/// Values in memory that a session keeps in a file, which several processes may change.
protocol FiledValues: AnyObject, Sendable {
    /// The values at one moment.
    associatedtype Snapshot: Equatable, Sendable

    /// The name of the file in messages: `the cookie file`.
    static var fileName: String { get }
    /// The name of the values in messages: `cookies`.
    static var contentName: String { get }
    /// The maximum size of the file.
    static var mostBytes: Int { get }

    /// Creates the values that the text of a file contains.
    init(_ text: String, at now: Int64)

    var snapshot: Snapshot { get }

    /// Calls the closure after each change, on the thread that made it.
    func observe(_ observer: @escaping @Sendable () -> Void)

    /// Whether the text is that of such a file, and may be replaced.
    static func isValid(_ text: String) -> Bool

    /// Returns the text of a file after the changes that turned `before` into `after`; `nil` if they
    /// change nothing.
    static func text(
        changing old: String,
        from before: Snapshot,
        to after: Snapshot,
        at now: Int64
    ) -> String?
}

extension CookieJar: FiledValues {
    static let fileName = "the cookie file"
    static let contentName = "cookies"
    static let mostBytes = CookieFileContent.mostBytes

    convenience init(_ text: String, at now: Int64) {
        self.init(CookieFileContent(text, at: now).cookies)
    }

    var snapshot: [CookieLine] { cookies }

    static func isValid(_ text: String) -> Bool { CookieFileContent.isValid(text) }

    static func text(
        changing old: String,
        from before: [CookieLine],
        to after: [CookieLine],
        at now: Int64
    ) -> String? {
        let old = CookieFileContent(old, at: now)
        var new = old
        new.apply(from: before, to: after, at: now)
        return new == old ? nil : new.text
    }
}

extension SecureHosts: FiledValues {
    static let fileName = "the file of HTTPS hosts"
    static let contentName = "HTTPS hosts"
    static let mostBytes = SecureHostList.mostBytes

    convenience init(_ text: String, at now: Int64) {
        self.init(SecureHostList(text, at: now))
    }

    var snapshot: SecureHostList { list }

    static func isValid(_ text: String) -> Bool { SecureHostList.isValid(text) }

    static func text(
        changing old: String,
        from before: SecureHostList,
        to after: SecureHostList,
        at now: Int64
    ) -> String? {
        let old = SecureHostList(old, at: now)
        var new = old
        new.apply(from: before, to: after)
        return new == old ? nil : new.text
    }
}

extension AlternativeServices: FiledValues {
    static let fileName = "the file of alternative services"
    static let contentName = "alternative services"
    static let mostBytes = AlternativeServiceList.mostBytes

    convenience init(_ text: String, at now: Int64) {
        self.init(AlternativeServiceList(text, at: now))
    }

    var snapshot: AlternativeServiceList { list }

    static func isValid(_ text: String) -> Bool { AlternativeServiceList.isValid(text) }

    static func text(
        changing old: String,
        from before: AlternativeServiceList,
        to after: AlternativeServiceList,
        at now: Int64
    ) -> String? {
        let old = AlternativeServiceList(old, at: now)
        var new = old
        new.apply(from: before, to: after)
        return new == old ? nil : new.text
    }
}
