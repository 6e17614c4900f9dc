internal import PawlCore

/// Values in memory that a session keeps in a file, which several processes may change.
protocol FiledValues: AnyObject, Sendable {
    /// The content of the file.
    associatedtype Content: SharedFileContent

    /// The name of the file in messages: `the cookie file`.
    static var fileName: String { get }
    /// The name of the values in messages: `cookies`.
    static var contentName: String { get }

    /// Creates the values that a file contains.
    init(_ content: Content)

    /// The values at one moment.
    var snapshot: Content.Snapshot { get }

    /// Calls the closure after each change, on the thread that made it.
    func observe(_ observer: @escaping @Sendable () -> Void)
}

extension CookieJar: FiledValues {
    typealias Content = CookieFileContent

    static let fileName = "the cookie file"
    static let contentName = "cookies"

    convenience init(_ content: CookieFileContent) { self.init(content.cookies) }

    var snapshot: [CookieLine] { cookies }
}

extension SecureHosts: FiledValues {
    typealias Content = SecureHostList

    static let fileName = "the file of HTTPS hosts"
    static let contentName = "HTTPS hosts"

    var snapshot: SecureHostList { list }
}

extension AlternativeServices: FiledValues {
    typealias Content = AlternativeServiceList

    static let fileName = "the file of alternative services"
    static let contentName = "alternative services"

    var snapshot: AlternativeServiceList { list }
}
