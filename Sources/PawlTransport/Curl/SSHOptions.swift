internal import CCrypto
internal import CCurl
internal import Glibc
internal import PawlCore
internal import struct FoundationEssentials.Data

/// How to sign in to an SSH server, and which host keys to accept.
enum SSHOptions {
    /// The time after which a server that sends nothing counts as gone.
    private static let silentSeconds = 30

    /// Sets the options of a request over SFTP.
    static func set(_ request: TransferRequest, on handle: CurlHandle) throws(TransferFailure) {
        let settings = request.connection
        // Without a limit, libcurl would wait for ever for the answer that ends a file.
        try handle.set(CURLOPT_LOW_SPEED_LIMIT, to: 1)
        try handle.set(CURLOPT_LOW_SPEED_TIME, to: Self.silentSeconds)
        // Without a file, libcurl would accept every key.
        try handle.set(CURLOPT_SSH_KNOWNHOSTS, to: HostKey.file(settings))
        if let credentials = request.credentials {
            guard !credentials.name.utf8.contains(0), !credentials.password.utf8.contains(0) else {
                throw TransferFailure(.local, "cannot send the credentials: invalid characters")
            }
            try handle.set(CURLOPT_USERNAME, to: credentials.name)
            if !credentials.password.isEmpty {
                try handle.set(CURLOPT_PASSWORD, to: credentials.password)
            }
        } else if let user = userName {
            try handle.set(CURLOPT_USERNAME, to: user)
        }
        guard settings.actsForProcessOwner else {
            // A client over TCP sent this request, and must not use this user's keys.
            let types = CURLSSH_AUTH_PASSWORD | CURLSSH_AUTH_KEYBOARD
            return try handle.set(CURLOPT_SSH_AUTH_TYPES, to: Int(types))
        }
        guard let key = settings.clientIdentity.keyFile ?? usualKey else { return }
        try handle.set(CURLOPT_SSH_PRIVATE_KEYFILE, to: key)
        // The public key is computed from the private one.
        try handle.set(CURLOPT_SSH_PUBLIC_KEYFILE, to: "")
        if let password = settings.clientIdentity.keyPassword {
            try handle.set(CURLOPT_KEYPASSWD, to: password)
        }
    }

    /// The failure of a login whose key is encrypted, if neither its password nor that of the user
    /// is given.
    static func lockedKey(of request: TransferRequest) -> TransferFailure? {
        let settings = request.connection
        guard request.scheme == .sftp, settings.actsForProcessOwner,
            settings.clientIdentity.keyPassword == nil,
            request.credentials?.password.isEmpty != false,
            let key = settings.clientIdentity.keyFile ?? usualKey, isEncrypted(key)
        else { return nil }
        var failure = TransferFailure(
            .clientKeyUnusable,
            "\(key.sanitized): the key is encrypted"
        )
        failure.subject = key
        return failure
    }

    private static func isEncrypted(_ path: String) -> Bool {
        let file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        var status = stat()
        // A pipe can be read only once.
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
        var bytes = [UInt8](repeating: 0, count: 16 << 10)
        let count = max(0, read(file, &bytes, bytes.count))
        return PrivateKeyText.isEncrypted(String(decoding: bytes.prefix(count), as: UTF8.self))
    }

    /// The name of the user of this process, as ssh finds it; services have no `USER`.
    private static var userName: String? {
        for variable in ["USER", "LOGNAME"] {
            if let name = getenv(variable).map({ String(cString: $0) }), !name.isEmpty {
                return name
            }
        }
        var (entry, found) = (passwd(), nil as UnsafeMutablePointer<passwd>?)
        var buffer = [CChar](repeating: 0, count: 16 << 10)
        guard getpwuid_r(geteuid(), &entry, &buffer, buffer.count, &found) == 0, found != nil,
            let name = entry.pw_name
        else { return nil }
        return String(cString: name)
    }

    /// The first of the user's keys, under the names that ssh gives them.
    private static var usualKey: String? {
        ["id_ed25519", "id_ecdsa", "id_rsa"].map(HostKey.path)
            .first { access($0, R_OK) == 0 }
    }
}

/// The key by which an SSH server proves that it is the one meant.
struct HostKey {
    /// The type, such as `ssh-ed25519`.
    let type: String
    private let blob: [UInt8]

    /// Creates a key from its bytes (RFC 4253 §6.6).
    init?(_ blob: [UInt8]) {
        guard blob.count > 4 else { return nil }
        let length = blob.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        guard let type = String(validating: blob.dropFirst(4).prefix(length), as: UTF8.self),
            (1...64).contains(length), type.utf8.count == length
        else { return nil }
        self.type = type.sanitized
        self.blob = blob
    }

    /// The fingerprint as ssh shows it: `SHA256:` and Base64 without padding.
    var fingerprint: String {
        var digest = [UInt8](repeating: 0, count: 32)
        var count: UInt32 = 0
        guard EVP_Digest(blob, blob.count, &digest, &count, EVP_sha256(), nil) == 1 else {
            return ""
        }
        return "SHA256:" + Data(digest).base64EncodedString().filter { $0 != "=" }
    }

    /// Adds the key to the file of known hosts (sshd(8)); what is in the file stays as it is.
    func add(host: String, port: Int, to path: String) {
        let name = port == URLScheme.sftp.usualPort ? host : "[\(host)]:\(port)"
        var line = Array("\(name) \(type) \(Data(blob).base64EncodedString())\n".utf8)
        let folder = path.pathFolder
        if !folder.isEmpty { mkdir(folder, 0o700) }
        let file = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        // Then the key is unknown the next time, too.
        guard file >= 0 else { return }
        var last: UInt8 = 0
        let end = lseek(file, 0, SEEK_END)
        // The last line may lack its line break.
        if end > 0, pread(file, &last, 1, end - 1) == 1, last != UInt8(ascii: "\n") {
            line.insert(UInt8(ascii: "\n"), at: 0)
        }
        _ = write(file, line, line.count)
        close(file)
    }

    /// The path of the file with the keys of known hosts.
    static func file(_ settings: ConnectionSettings) -> String {
        settings.knownHostsFile ?? path("known_hosts")
    }

    /// The path of a file in the user's folder for ssh.
    static func path(_ name: String) -> String {
        let home = getenv("HOME").map { String(cString: $0) } ?? ""
        return "\(home)/.ssh/\(name)"
    }
}

extension CurlHandle {
    /// Lets the transfer decide about host keys that are not known.
    func checkHostKey(of context: TransferContext) throws(TransferFailure) {
        let pointer = Unmanaged.passUnretained(context).toOpaque()
        guard pawl_curl_set_host_key_function(raw, judgeHostKey, pointer) == CURLE_OK else {
            throw TransferFailure(.notBuiltIn, "SFTP")
        }
    }
}

private func judgeHostKey(
    _ handle: UnsafeMutableRawPointer?,
    _ known: UnsafePointer<curl_khkey>?,
    _ found: UnsafePointer<curl_khkey>?,
    _ match: curl_khmatch,
    _ context: UnsafeMutableRawPointer?
) -> Int32 {
    guard match != CURLKHMATCH_OK else { return Int32(CURLKHSTAT_FINE.rawValue) }
    guard let context, let found = found?.pointee, let start = found.key, found.len > 0,
        let key = HostKey(Array(UnsafeRawBufferPointer(start: start, count: found.len)))
    else { return Int32(CURLKHSTAT_REJECT.rawValue) }
    let isAccepted = Unmanaged<TransferContext>.fromOpaque(context).takeUnretainedValue()
        .accepts(key, isNew: match == CURLKHMATCH_MISSING)
    return Int32((isAccepted ? CURLKHSTAT_FINE : CURLKHSTAT_REJECT).rawValue)
}
