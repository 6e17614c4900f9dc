internal import Pawl
internal import PawlCore
internal import Synchronization

/// What lets a request in: the token of the user's file, as that is now.
final class AccessKeys: Sendable {
    /// The cookie's name.
    static let cookie = "pawl"

    private struct State {
        var stamp: AccessTokenFile.Stamp?
        var token = SecretText("")
        var cookie = SecretText("")
        var cookieText = ""
    }

    private let file: AccessTokenFile
    private let state = Mutex(State())

    /// Makes the file where there is none.
    init(_ file: AccessTokenFile) throws(DownloadError) {
        self.file = file
        _ = try file.keys()
    }

    /// Tells the keys of this moment from those before and after.
    var generation: AccessTokenFile.Stamp? { file.stamp }

    /// By the fields `Authorization` and `Cookie` of a request.
    func judge(authorization: [String], cookies: [String]) -> RequestGuard.Credentials {
        let keys = current()
        if let field = authorization.first {
            let words = field.split(separator: " ", omittingEmptySubsequences: true)
            guard authorization.count == 1, words.count == 2, words[0].lowercased() == "bearer"
            else { return .wrong }
            return keys.token.matches(words[1]) ? .right : .wrong
        }
        let values = cookies.flatMap { $0.split(separator: ";") }.compactMap(Self.value)
        guard let value = values.first else { return .none }
        return values.count == 1 && keys.cookie.matches(value) ? .right : .wrong
    }

    func isToken(_ text: String) -> Bool { current().token.matches(text) }

    /// What a browser is given for a token or a code.
    var cookieValue: String { current().cookieText }

    /// Of `pawl=…`.
    private static func value(_ cookie: Substring) -> Substring? {
        let cookie = cookie.drop { $0 == " " }
        guard cookie.hasPrefix("\(Self.cookie)=") else { return nil }
        return cookie.dropFirst(Self.cookie.utf8.count + 1)
    }

    /// Read anew where the file is another one; without a file nobody comes in.
    private func current() -> State {
        state.withLock { state in
            let stamp = file.stamp
            guard stamp == nil || stamp != state.stamp else { return state }
            state = State()
            // What cannot be read is no key.
            if stamp != nil, let keys = try? file.keys() {
                state.stamp = stamp
                state.token = SecretText(keys.token)
                state.cookie = SecretText(keys.cookie)
                state.cookieText = keys.cookie
            }
            return state
        }
    }
}
