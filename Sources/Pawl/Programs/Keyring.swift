internal import PawlCore
internal import Synchronization

/// The user's keyring, in which Chromium keeps the password of its cookies.
enum Keyring {
    private static let known = Mutex<[Browser: String]>([:])

    /// Returns the password of a browser: that of the Secret Service (GNOME), otherwise of KWallet.
    ///
    /// The keyring may ask the user to unlock it. The password is asked for once in a process.
    ///
    /// - Parameters:
    ///   - seconds: The time that it may take; `nil` for no limit.
    static func password(
        of browser: Browser,
        seconds: Int? = nil
    ) throws(DownloadError) -> String {
        if let known = known.withLock({ $0[browser] }) { return known }
        let commands = [
            ["secret-tool", "lookup", "application", browser.rawValue],
            [
                "kwallet-query", "-r", "\(title(browser)) Safe Storage", "-f",
                "\(title(browser)) Keys",
            ]
                + ["kdewallet"],
        ]
        for command in commands {
            let result = ChildProgram.run(command, seconds: seconds)
            guard result.isSuccess, let password = result.line else { continue }
            known.withLock { $0[browser] = password }
            return password
        }
        throw DownloadError(
            .fileUnreadable,
            "cannot get the key for the cookies of \(browser.rawValue) from the keyring",
            advice:
                "install secret-tool (on Debian the package libsecret-tools) and unlock the keyring"
        )
    }

    private static func title(_ browser: Browser) -> String {
        switch browser {
        case .edge: "Microsoft Edge"
        default: browser.rawValue.prefix(1).uppercased() + browser.rawValue.dropFirst()
        }
    }
}
