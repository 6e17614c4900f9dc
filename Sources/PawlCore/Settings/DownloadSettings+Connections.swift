internal import struct FoundationEssentials.URL

extension DownloadSettings {
    /// The rows of ``ConnectionSettings``, except those for the fields of a request.
    static let connectionSettings: [Setting<DownloadSettings>] = [
        Setting(
            "insecure",
            letter: "k",
            member: "allowsUntrustedCertificates",
            \.connection.allowsUntrustedCertificates,
            .flag(),
            field: SettingField("Accept any certificate"),
            help: """
                Accept any certificate. An attacker on the network can then read and change \
                the data.
                """,
            about: """
                Whether to accept any certificate. An attacker on the network can then read \
                and change the data. Default: {default}.
                """
        ),
        Setting(
            "cacert",
            member: "authoritiesFile",
            \.connection.authoritiesFile,
            SettingForm<String>.file.optional(),
            entries: .local,
            help: "Trust the certificate authorities in this PEM file instead of the system's."
        ),
        Setting(
            "connect-timeout",
            member: "connectTimeoutSeconds",
            \.connection.connectTimeout,
            .seconds(),
            help: "Maximum time in seconds for connecting, including TLS. Default: {default}."
        ),
        Setting(
            "pinned-public-key",
            member: "pinnedPublicKeys",
            \.connection.pinnedPublicKeys,
            each: .publicKey,
            most: 16,
            help: """
                Refuse servers whose public key does not have this SHA-256 digest, as \
                sha256//BASE64. If given several times, one matching key is enough.
                """,
            about: """
                The SHA-256 digests of the accepted public keys, in Base64. The server must have \
                one of these keys.
                """
        ),
        Setting(
            "cert",
            letter: "E",
            member: "clientCertificateFile",
            \.connection.clientIdentity.certificateFile,
            SettingForm<String>.file.optional(),
            entries: .local,
            help: """
                Identify yourself with the client certificate in this file, PEM or PKCS#12 (.p12 \
                or .pfx), only to the server of the given URL.
                """
        ),
        Setting(
            "key",
            member: "clientKeyFile",
            \.connection.clientIdentity.keyFile,
            SettingForm<String>.file.optional(),
            entries: .local,
            help: """
                The PEM file with the private key of the client certificate. Default: the file of \
                the certificate. For SFTP, the file with your private SSH key. Default: \
                ~/.ssh/id_ed25519, id_ecdsa or id_rsa.
                """
        ),
        Setting(
            "key-password",
            member: "clientKeyPassword",
            \.connection.clientIdentity.keyPassword,
            SettingForm<String>.line.optional(),
            entries: .local,
            isSecret: true,
            help: """
                The password of the file with the client's private key. On a terminal, you are \
                asked for it.
                """,
            about: "The password of the file with the client's private key."
        ),
        Setting(
            "known-hosts",
            member: "knownHostsFile",
            \.connection.knownHostsFile,
            SettingForm<String>.file.optional(),
            entries: .local,
            help: """
                For SFTP, accept the host keys in this file. Default: ~/.ssh/known_hosts. The file \
                need not exist.
                """
        ),
        Setting(
            "host-key",
            member: "hostKey",
            \.connection.hostKey,
            SettingForm<String>.hostKey.optional(),
            entries: .local,
            help: """
                For SFTP, also accept a new host key with this fingerprint, SHA256:BASE64, and add \
                it to the known hosts. On a terminal, you are asked about new keys.
                """,
            about: """
                For SFTP, the fingerprint of a new host key to accept and to add to the known \
                hosts.
                """
        ),
        Setting(
            "auth",
            member: "authentication",
            \.connection.authentication,
            SettingForm<AuthenticationScheme>.choice().optional(),
            help: """
                How to sign in: basic sends the name and password with the first request, digest \
                never reveals the password, and negotiate uses your Kerberos ticket, only for the \
                server of the given URL. Default: basic or digest, whichever the server asks for.
                """
        ),
        Setting(
            "netrc",
            member: "netrcFile",
            \.connection.netrcFile,
            .netrc,
            entries: .local,
            help: """
                Take user names and passwords from this file; with none, use no file. Default: \
                ~/.netrc.
                """,
            about: """
                A file in the format of `.netrc` with names and passwords of hosts. Default: none.
                """
        ),
        Setting(
            "cookies",
            letter: "b",
            member: "cookieFile",
            \.connection.cookieFile,
            SettingForm<String>.file.optional(),
            entries: .local,
            help: """
                Send the cookies in this file (in Netscape's format), and save to it the cookies \
                that servers set. The file need not exist.
                """
        ),
        Setting(
            "cookies-from",
            member: "browserProfile",
            \.connection.browserProfile,
            SettingForm<BrowserProfile>.browser.optional(),
            entries: .local,
            help: """
                Send the cookies of this browser: firefox, chromium, chrome, brave, edge, vivaldi \
                or opera. For a profile other than the default one, write browser:profile.
                """,
            about: """
                The browser on this machine whose cookies are sent, or `browser:profile` with the \
                name or the path of a profile.
                """
        ),
        Setting(
            "hsts",
            member: "secureHostsFile",
            \.connection.secureHostsFile,
            SettingForm<String>.file.optional(),
            entries: .local,
            help: """
                Use HTTPS instead of HTTP for the hosts in this file (in curl's format), and add \
                hosts that demand it (HSTS). The file need not exist.
                """
        ),
        Setting(
            "alt-svc",
            member: "alternativeServicesFile",
            \.connection.alternativeServicesFile,
            SettingForm<String>.file.optional(),
            entries: .local,
            help: """
                Use the alternative servers (Alt-Svc) listed in this file (in curl's format), and \
                add those that servers announce over HTTPS. The file need not exist.
                """
        ),
        Setting(
            "proxy",
            member: "proxy",
            \.connection.proxy,
            .proxy,
            isSecret: true,
            field: SettingField("Proxy", placeholder: "From the environment"),
            help: """
                Connect through this proxy: scheme://host:port with http, https, socks4, socks4a, \
                socks5 or socks5h, where socks4a and socks5h let the proxy resolve names. With \
                none, connect directly. Default: the proxy in http_proxy, https_proxy or \
                all_proxy, except for the hosts in no_proxy.
                """,
            about: """
                The URL of the proxy, with `http`, `https`, `socks4`, `socks4a`, `socks5` or \
                `socks5h`, where `socks4a` and `socks5h` let the proxy resolve names; or `none`. \
                Default: the proxy in the environment of the process.
                """
        ),
        Setting(
            "proxy-auth",
            member: "proxyAuthentication",
            \.connection.proxyAuthentication,
            SettingForm<AuthenticationScheme>.choice().optional(),
            help: """
                How to sign in to an HTTP proxy: basic or digest, with the name and password in \
                its URL, or negotiate, with your Kerberos ticket. Default: basic or digest, \
                whichever the proxy offers.
                """
        ),
        Setting(
            "http-version",
            member: "httpVersion",
            \.connection.httpVersion,
            SettingForm<HTTPVersion>.choice().optional(),
            entries: .programs,
            help: """
                The version of HTTP. Default: small files share HTTP/2 connections, and each \
                larger file has its own HTTP/1.1 connections.
                """
        ),
        Setting(
            "http1.1",
            member: nil,
            \.connection.httpVersion,
            .shorthand(for: .http1),
            entries: .typed,
            help: "Use HTTP/1.1, even for small files."
        ),
        Setting(
            "http2",
            member: nil,
            \.connection.httpVersion,
            .shorthand(for: .http2),
            entries: .typed,
            help: """
                Use HTTP/2 with HTTPS servers that offer it, even for large files, which then use \
                streams of one connection.
                """
        ),
        Setting(
            "http3",
            member: nil,
            \.connection.httpVersion,
            .shorthand(for: .http3),
            entries: .typed,
            help: "Use HTTP/3 with servers that support it. Requires a libcurl with HTTP/3."
        ),
        Setting(
            "ip-version",
            member: "ipVersion",
            \.connection.ipVersion,
            SettingForm<IPVersion>.choice().optional(),
            entries: .programs,
            help: "The version of IP. Default: either, whichever connects first."
        ),
        Setting(
            "ipv4",
            letter: "4",
            member: nil,
            \.connection.ipVersion,
            .shorthand(for: .v4),
            entries: .typed,
            help: "Connect with IPv4 only."
        ),
        Setting(
            "ipv6",
            letter: "6",
            member: nil,
            \.connection.ipVersion,
            .shorthand(for: .v6),
            entries: .typed,
            help: "Connect with IPv6 only."
        ),
        Setting(
            "interface",
            member: "interface",
            \.connection.interface,
            SettingForm<String>.interface.optional(),
            entries: .local,
            help: "Connect from this network interface, or from this address of the machine."
        ),
        Setting(
            "resolve",
            member: "fixedAddresses",
            \.connection.fixedAddresses,
            each: .fixedAddress,
            most: 64,
            help: """
                Connect to this address for this host and port, instead of resolving the name; * \
                means any host or port. Several addresses are separated by commas. May be given \
                several times; the first match is used.
                """,
            about: """
                The addresses to use for hosts instead of resolving their names, as \
                `host:port:address`, where `*` means every host or port; several addresses are \
                separated by commas.
                """
        ),
        Setting(
            "dns-over-https",
            member: "nameServer",
            \.connection.nameServer,
            SettingForm<URL>.nameServer.optional(),
            entries: .local,
            isSecret: true,
            help: "Resolve names by DNS over HTTPS at this URL."
        ),
        Setting(
            "tcp-fast-open",
            member: "usesTCPFastOpen",
            \.connection.usesTCPFastOpen,
            .flag(),
            help: """
                Send the first bytes while the connection is still being established, if the \
                system supports it.
                """,
            about: """
                Whether to send the first bytes while the connection is still being established, \
                if the system supports it. Default: {default}.
                """
        ),
    ]

    /// The rows of ``S3Settings``.
    static let s3Settings: [Setting<DownloadSettings>] = [
        Setting(
            "s3-endpoint",
            member: "s3Endpoint",
            \.connection.s3.endpoint,
            SettingForm<URL>.httpPage.optional(),
            isSecret: true,
            help: """
                The URL of the storage service for s3: URLs. Default: the one in the environment or \
                in ~/.aws/config, otherwise AWS.
                """,
            about: "The URL of the storage service for `s3:` URLs. Default: AWS."
        ),
        Setting(
            "s3-region",
            member: "s3Region",
            \.connection.s3.region,
            SettingForm<String>.word("region").optional(),
            help: """
                The region of the bucket. Default: the one in the environment or in ~/.aws/config, \
                otherwise the one that AWS reports.
                """,
            about: "The region of the bucket. Default: the one that AWS reports."
        ),
        Setting(
            "s3-profile",
            member: "s3Profile",
            \.connection.s3.profile,
            SettingForm<String>.word("profile").optional(),
            entries: .local,
            help: """
                The profile with the credentials, in ~/.aws/credentials and ~/.aws/config. \
                Default: the credentials in the environment, in the profile named default, or of \
                the machine. A name and password (an access key's ID and secret) take precedence.
                """,
            about: "The profile with the credentials, in the configuration files of AWS."
        ),
        Setting(
            "s3-anonymous",
            member: "s3Anonymous",
            \.connection.s3.isAnonymous,
            .flag(),
            help: "Do not sign requests for s3: URLs. Use this for a public bucket.",
            about: """
                Whether to leave requests for `s3:` URLs unsigned, for a public bucket. Default: \
                {default}.
                """
        ),
    ]
}

extension SettingEntries {
    /// All but the daemon's API over TCP.
    static let local: SettingEntries = [.command, .list, .config, .library, .socket]
    /// Where users write texts.
    static let typed: SettingEntries = [.command, .list, .config]
}

extension SettingForm where Value == ProxyPolicy {
    /// The URL of a proxy, or `none`.
    fileprivate static let proxy = SettingForm(
        schema: ["type": "string"],
        valueName: "url|none",
        parse: { (text) throws(ValueError) in try ProxyPolicy.parse(text) },
        decode: { (value) throws(ValueError) in
            guard case .text(let text) = value else {
                throw ValueError("not the URL of a proxy", advice: ProxyPolicy.form)
            }
            return try ProxyPolicy.parse(text)
        },
        encode: { policy in
            switch policy {
            case .environment: .null
            case .none: "none"
            case .proxy(let url): .text(url.absoluteString)
            }
        }
    )
}

extension SettingForm where Value == String? {
    /// A file; in text, also `none`.
    fileprivate static let netrc: SettingForm = {
        var form = SettingForm<String>.file.optional()
        form.valueName = "file|none"
        form.parse = { (text) throws(ValueError) in text.lowercased() == "none" ? nil : text }
        return form
    }()
}

extension SettingForm where Value == BrowserProfile {
    /// `browser` or `browser:profile`.
    fileprivate static let browser = SettingForm.parsed("browser[:profile]", text: \.text) {
        (text) throws(ValueError) in try BrowserProfile.parse(text)
    }
}

extension SettingForm where Value == FixedAddress {
    /// `host:port:address`.
    fileprivate static let fixedAddress = SettingForm.parsed("host:port:address", text: \.text) {
        (text) throws(ValueError) in try FixedAddress.parse(text)
    }
}

extension SettingForm where Value == String {
    /// The SHA-256 digest of a public key, in Base64, with or without curl's `sha256//`.
    fileprivate static let publicKey = SettingForm.parsed("sha256//base64", text: \.self) {
        (text) throws(ValueError) in try PublicKeyText.parse(text)
    }

    /// The fingerprint of an SSH server's key, as ssh shows it.
    fileprivate static let hostKey: SettingForm = {
        let advice: Advice = "write SHA256: and the 43 characters that ssh-keygen -l shows"
        return parsed("SHA256:base64", text: \.self) { (text) throws(ValueError) in
            let mark = "SHA256:"
            let digest = text.hasPrefix(mark) ? String(text.dropFirst(mark.count)) : text
            let plain = String(digest.prefix { $0 != "=" })
            guard [UInt8](base64: plain + "=")?.count == 32 else {
                throw ValueError(
                    "'\(text.sanitized(atMost: 60))' is not the fingerprint of a host key",
                    advice: advice
                )
            }
            return mark + plain
        }
    }()

    /// A name without spaces, such as that of a region.
    fileprivate static func word(_ valueName: String) -> SettingForm {
        let advice: Advice = "use only letters, digits and - _ . / @ + :"
        return parsed(valueName, text: \.self) { (text) throws(ValueError) in
            let isWord = text.utf8.allSatisfy {
                $0.isLetter || $0.isDigit || "-_./@+:".utf8.contains($0)
            }
            guard isWord, (1...100).contains(text.utf8.count) else {
                throw ValueError(
                    "'\(text.sanitized(atMost: 60))' is not a \(valueName)",
                    advice: advice
                )
            }
            return text
        }
    }

    /// The name of a network interface, or an address.
    fileprivate static let interface: SettingForm = {
        let advice: Advice = "give a name that 'ip link' shows, or an address of this machine"
        return parsed("name|address", text: \.self) { (text) throws(ValueError) in
            // The kernel's limit is 15 bytes (IFNAMSIZ).
            let isName =
                (1...15).contains(text.utf8.count)
                && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "/") }
            guard isName || IPAddress(text) != nil else {
                throw ValueError(
                    "'\(text.sanitized(atMost: 60))' is not a network interface",
                    advice: advice
                )
            }
            return text
        }
    }()
}

extension SettingForm where Value == URL {
    /// An HTTPS URL.
    fileprivate static let nameServer = page("an HTTPS URL", "https://dns.example/dns-query") {
        $0 == .https
    }

    /// An HTTP or HTTPS URL.
    fileprivate static let httpPage = page("an HTTP URL", "https://minio.example:9000") {
        $0.isHTTP
    }

    /// A URL with one of some schemes.
    private static func page(
        _ name: String,
        _ example: String,
        allows: @escaping @Sendable (URLScheme) -> Bool
    ) -> SettingForm {
        var form = page
        let check: @Sendable (URL) throws(ValueError) -> URL = { (url) throws(ValueError) in
            guard let scheme = URLScheme(of: url.scheme), allows(scheme) else {
                throw ValueError(
                    "'\(url.redacted)' is not \(name)",
                    advice: "give one such as \(example)"
                )
            }
            return url
        }
        form.parse = { (text) throws(ValueError) in try check(try page.parse(text)) }
        form.decode = { (value) throws(ValueError) in try check(try page.decode(value)) }
        return form
    }
}
