internal import CCrypto
internal import PawlCore

/// The keys with which Chromium encrypts cookies on Linux (`os_crypt_linux.cc`).
///
/// `v10` values have a key that is the same everywhere, and `v11` values one of the user's keyring.
struct ChromiumKeys {
    private let browser: Browser
    /// Whether a text begins with the digest of the host, as since version 24 of the table.
    private let namesHost: Bool
    private let password: (Browser) throws(DownloadError) -> String
    private var keyOfKeyring: [UInt8]?

    /// - Parameters:
    ///   - password: Returns the password in the keyring.
    init(
        _ browser: Browser,
        namesHost: Bool,
        password: @escaping (Browser) throws(DownloadError) -> String
    ) {
        self.browser = browser
        self.namesHost = namesHost
        self.password = password
    }

    private static let fixedKey = key(of: "peanuts")
    /// Chromium uses an empty password if the keyring fails.
    private static let emptyKey = key(of: "")

    /// Returns the value of a cookie; `nil` if it is not valid.
    ///
    /// Throws if the keyring has no key.
    mutating func decrypt(_ secret: [UInt8], of host: String) throws(DownloadError) -> String? {
        let bytes = Array(secret.dropFirst(3))
        switch String(decoding: secret.prefix(3), as: UTF8.self) {
        case "v10":
            return text(bytes, Self.fixedKey, host) ?? text(bytes, Self.emptyKey, host)
        case "v11":
            if let value = text(bytes, Self.emptyKey, host) { return value }
            let key = try keyringKey()
            guard let value = text(bytes, key, host) else {
                throw DownloadError(
                    .fileUnreadable,
                    "the cookies of \(browser.rawValue) cannot be decrypted with the keyring's key",
                    advice: "sign in to the sites again, or use an exported cookie file"
                )
            }
            return value
        default: return nil
        }
    }

    private mutating func keyringKey() throws(DownloadError) -> [UInt8] {
        if let keyOfKeyring { return keyOfKeyring }
        let key = Self.key(of: try password(browser))
        keyOfKeyring = key
        return key
    }

    private func text(_ bytes: [UInt8], _ key: [UInt8], _ host: String) -> String? {
        guard let plain = Self.decrypt(bytes, key) else { return nil }
        guard namesHost else { return String(validating: plain, as: UTF8.self) }
        guard let digest = SHA256.digest(of: host), plain.starts(with: digest) else { return nil }
        return String(validating: plain.dropFirst(digest.count), as: UTF8.self)
    }

    /// PBKDF2 with SHA-1, one round, for AES-128.
    private static func key(of password: String) -> [UInt8] {
        var key = [UInt8](repeating: 0, count: 16)
        let salt = Array("saltysalt".utf8)
        let length = Int32(password.utf8.count)
        PKCS5_PBKDF2_HMAC_SHA1(password, length, salt, Int32(salt.count), 1, 16, &key)
        return key
    }

    /// AES-128 in CBC mode with an initial vector of spaces.
    private static func decrypt(_ bytes: [UInt8], _ key: [UInt8]) -> [UInt8]? {
        guard let context = EVP_CIPHER_CTX_new() else { return nil }
        defer { EVP_CIPHER_CTX_free(context) }
        let vector = [UInt8](repeating: UInt8(ascii: " "), count: 16)
        var plain = [UInt8](repeating: 0, count: bytes.count + 16)
        var (count, rest): (Int32, Int32) = (0, 0)
        guard EVP_DecryptInit_ex(context, EVP_aes_128_cbc(), nil, key, vector) == 1,
            EVP_DecryptUpdate(context, &plain, &count, bytes, Int32(bytes.count)) == 1
        else { return nil }
        let isWhole = plain.withUnsafeMutableBufferPointer { buffer in
            EVP_DecryptFinal_ex(context, buffer.baseAddress.map { $0 + Int(count) }, &rest) == 1
        }
        return isWhole ? Array(plain.prefix(Int(count + rest))) : nil
    }
}
