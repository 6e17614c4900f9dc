/// An option of another download tool, and what Pawl has in its place.
package struct ForeignOption: Sendable {
    package enum Tool: String, CaseIterable, Sendable {
        case curl, wget, aria2, rclone, aws
    }

    package let tool: Tool
    /// The names, with their hyphens.
    package let names: [String]
    /// What to write or to do instead, as the end of a sentence.
    package let instead: String

    private init(_ tool: Tool, _ names: String, _ instead: String) {
        self.tool = tool
        self.names = names.split(separator: " ").map(String.init)
        self.instead = instead
    }

    /// The long options of Pawl that the text names.
    package var namedOptions: [String] {
        instead.split { " ,;:'".contains($0) }.filter { $0.hasPrefix("--") }.map(String.init)
    }

    /// Whether the text is right for a command with these long options.
    private func isUsable(with names: Set<String>) -> Bool {
        // The options of another command are named with it.
        instead.contains("'pawl ") || names.isSuperset(of: namedOptions)
    }

    /// Returns what to use instead of an option; `nil` if no tool has it, or if the command does not
    /// have what to use.
    ///
    /// - Parameters:
    ///   - option: The unknown option as the parser reports it; of `-nc`, that is `-n`.
    ///   - arguments: The arguments, of which one contains the option.
    ///   - names: The long options of the command.
    package static func advice(
        for option: String,
        in arguments: [String],
        ofCommandWith names: Set<String>
    ) -> String? {
        let short = arguments.first { argument in
            argument.hasPrefix("-") && argument.dropFirst().first != "-" && argument.count > 2
                && (option == argument || option == "--" || option == argument.prefix(2))
        }
        return short.flatMap { advice($0, names) } ?? advice(option, names)
            ?? short.flatMap { adviceForLetters($0, names) }
    }

    private static func advice(_ option: String, _ names: Set<String>) -> String? {
        let name = String(option.prefix { $0 != "=" })
        guard let found = all.first(where: { $0.names.contains(name) }), found.isUsable(with: names)
        else { return nil }
        return "for \(found.tool.rawValue)'s \(name): \(found.instead)"
    }

    /// Returns the advice for each letter of an argument such as `-fsS`.
    private static func adviceForLetters(_ argument: String, _ names: Set<String>) -> String? {
        var found: [ForeignOption] = []
        let advice = argument.dropFirst().compactMap { letter -> String? in
            let name = "-\(letter)"
            guard let option = all.first(where: { $0.names.contains(name) }),
                !found.contains(where: { $0.names == option.names })
            else { return nil }
            found.append(option)
            return Self.advice(name, names)
        }
        return advice.isEmpty ? nil : advice.joined(separator: "; ")
    }

    package static let all: [ForeignOption] = [
        ForeignOption(.curl, "-o --output", "use --output"),
        ForeignOption(.curl, "-O --remote-name --remote-name-all", "leave it out"),
        ForeignOption(
            .curl,
            "-J --remote-header-name",
            "leave it out: the name that the server sends is used"
        ),
        ForeignOption(.curl, "--output-dir", "use --directory"),
        ForeignOption(.curl, "--create-dirs", "leave it out: folders are created"),
        ForeignOption(.curl, "-C --continue-at", "leave it out: downloads are resumed"),
        ForeignOption(.curl, "-L --location", "leave it out: redirects are followed"),
        ForeignOption(
            .curl,
            "--location-trusted",
            "use --redirect-header for a field that is not secret"
        ),
        ForeignOption(
            .curl,
            "-f --fail --fail-with-body",
            "leave it out: an error page is never saved"
        ),
        ForeignOption(.curl, "-s --silent -S --show-error -sS", "use --quiet"),
        ForeignOption(.curl, "-# --progress-bar", "use '--progress bar'"),
        ForeignOption(
            .curl,
            "-Z --parallel --parallel-immediate",
            "leave it out: several files are fetched at once"
        ),
        ForeignOption(.curl, "--parallel-max", "use --jobs"),
        ForeignOption(.curl, "--limit-rate", "use --limit"),
        ForeignOption(.curl, "-k --insecure", "use --insecure"),
        ForeignOption(.curl, "--capath", "use --cacert with one file"),
        ForeignOption(.curl, "-E --cert", "use --cert"),
        ForeignOption(.curl, "--pass", "use --key-password"),
        ForeignOption(.curl, "--pinnedpubkey", "use --pinned-public-key"),
        ForeignOption(
            .curl,
            "-x --proxy --preproxy --proxy1.0 --socks4 --socks4a --socks5 --socks5-hostname",
            "use --proxy"
        ),
        ForeignOption(
            .curl,
            "-U --proxy-user",
            "put the name and password into the URL of --proxy"
        ),
        ForeignOption(.curl, "--noproxy", "use '--proxy none', or set no_proxy"),
        ForeignOption(.curl, "--oauth2-bearer", "use --bearer"),
        ForeignOption(.curl, "--basic --digest", "use '--auth basic' or '--auth digest'"),
        ForeignOption(.curl, "--negotiate", "use '--auth negotiate'"),
        ForeignOption(.curl, "--proxy-basic", "use '--proxy-auth basic'"),
        ForeignOption(.curl, "--proxy-digest", "use '--proxy-auth digest'"),
        ForeignOption(.curl, "--proxy-negotiate", "use '--proxy-auth negotiate'"),
        ForeignOption(.curl, "--anyauth --proxy-anyauth", "leave it out: it is the default"),
        ForeignOption(
            .curl,
            "-n --netrc-optional --netrc-file",
            "use --netrc; by default, ~/.netrc is used"
        ),
        ForeignOption(
            .curl,
            "--cookie --cookie-jar",
            "use --cookies, which reads and writes a file"
        ),
        ForeignOption(.curl, "--doh-url", "use --dns-over-https"),
        ForeignOption(.curl, "--connect-to", "use --resolve"),
        ForeignOption(.curl, "-w --write-out", "use '--progress json'"),
        ForeignOption(.curl, "-D --dump-header", "use 'pawl inspect'"),
        ForeignOption(.curl, "--max-redirs", "use --max-redirects"),
        ForeignOption(.curl, "-G --get --data-urlencode --url-query", "write the query in the URL"),
        ForeignOption(.curl, "--tcp-fastopen", "use --tcp-fast-open"),
        ForeignOption(.curl, "-m", "use --max-time"),
        ForeignOption(.curl, "--retry --retry-max-time", "use --retries"),
        ForeignOption(
            .curl,
            "--retry-all-errors --retry-connrefused",
            "leave it out: broken connections are retried"
        ),
        ForeignOption(.curl, "-y --speed-time", "use --stall-timeout"),
        ForeignOption(.curl, "-Y --speed-limit", "use --min-speed"),
        ForeignOption(.curl, "-K", "use --input-file for URLs, and --config for options"),
        ForeignOption(.curl, "-q --disable", "use '--config none'"),
        ForeignOption(.curl, "--request", "use --method"),
        ForeignOption(.curl, "--data-ascii --data-binary --data-raw", "use --data"),
        ForeignOption(.curl, "-I --head", "use 'pawl inspect'"),
        ForeignOption(.curl, "-R --remote-time", "use --remote-time"),
        ForeignOption(.curl, "-F --form --form-string", "use --data; Pawl does not upload files"),
        ForeignOption(.curl, "--upload-file", "leave it out: Pawl does not upload files"),
        ForeignOption(
            .curl,
            "--retry-delay",
            "leave it out: Pawl waits longer after each failure"
        ),
        ForeignOption(
            .curl,
            "-z --time-cond --etag-compare --etag-save",
            "leave it out: a complete file is not fetched again"
        ),
        ForeignOption(.curl, "--max-filesize", "use --size, which requires an exact size"),
        ForeignOption(
            .curl,
            "--tlsv1 --tlsv1.0 --tlsv1.1 --tlsv1.2 --tlsv1.3 --tls-max --ciphers --tls13-ciphers",
            "leave it out: the system's settings for TLS are used"
        ),
        ForeignOption(.curl, "--ssl --ssl-reqd", "write ftpes:// or ftps:// in the URL"),
        ForeignOption(.curl, "--url", "give the URL as an argument"),
        ForeignOption(
            .curl,
            "--aws-sigv4",
            "write s3://bucket/file as the URL, and the service with --s3-endpoint"
        ),
        ForeignOption(
            .curl,
            "--hostpubsha256 --hostpubmd5",
            "use --host-key with the fingerprint that ssh shows"
        ),
        ForeignOption(
            .curl,
            "--proxy-cert --proxy-key --proxy-pass",
            "leave it out: Pawl shows no certificate to a proxy"
        ),
        ForeignOption(.curl, "--proxy-cacert", "use --cacert"),
        ForeignOption(.curl, "--no-progress-meter", "use '--progress none'"),
        ForeignOption(
            .curl,
            "--ntlm --proxy-ntlm",
            "leave it out: Pawl signs in with basic, digest or negotiate"
        ),
        ForeignOption(
            .curl,
            "-g --globoff",
            "leave it out: only {a,b} and {1..9} are patterns, and %7B is a brace"
        ),
        ForeignOption(.curl, "--proxy-insecure", "use --insecure"),
        ForeignOption(.curl, "--trace --trace-ascii --trace-time", "use --verbose"),
        ForeignOption(.curl, "--stderr", "redirect standard error to the file"),
        ForeignOption(.curl, "--http1.0", "use --http1.1"),
        ForeignOption(
            .curl,
            "--http2-prior-knowledge",
            "leave it out: HTTP/2 is used with HTTPS only"
        ),
        ForeignOption(.curl, "--http3-only", "use --http3"),
        ForeignOption(.curl, "--metalink", "give the file or its URL as an argument"),
        ForeignOption(
            .curl,
            "--remove-on-error",
            "leave it out: only a complete file gets its name"
        ),
        ForeignOption(.curl, "--rate", "leave it out: Pawl waits when a server asks for it"),
        ForeignOption(
            .curl,
            "--cert-type --key-type",
            "leave it out: a .p12 or .pfx file is PKCS#12, and any other file is PEM"
        ),
        ForeignOption(.curl, "--pubkey", "leave it out: --key is enough"),
        ForeignOption(.curl, "-V", "use --version"),
        ForeignOption(.wget, "--output-document", "use --output"),
        ForeignOption(.wget, "-P --directory-prefix", "use --directory"),
        ForeignOption(.wget, "--post-data --body-data", "use --data"),
        ForeignOption(.wget, "--post-file --body-file", "use '--data @file'"),
        ForeignOption(.wget, "--compression", "use --compressed"),
        ForeignOption(
            .wget,
            "-np --no-parent --relative --domains --exclude-domains",
            "use 'pawl mirror', which never leaves the folder"
        ),
        ForeignOption(
            .wget,
            "--recursive",
            "use 'pawl mirror'; for a bucket, give s3://bucket/folder/"
        ),
        ForeignOption(
            .wget,
            "-p --page-requisites --convert-links --adjust-extension --span-hosts",
            "leave it out: Pawl saves pages as they are"
        ),
        ForeignOption(
            .wget,
            "-nd --no-directories -nH --no-host-directories",
            "use 'pawl mirror', which begins at the folder"
        ),
        ForeignOption(
            .wget,
            "--wait --random-wait --waitretry",
            "leave it out: Pawl waits when a server asks for it"
        ),
        ForeignOption(.wget, "-l --level", "use 'pawl mirror' with --depth"),
        ForeignOption(.wget, "--cut-dirs", "use 'pawl mirror', which begins at the folder"),
        ForeignOption(.wget, "--spider --server-response --save-headers", "use 'pawl inspect'"),
        ForeignOption(
            .wget,
            "--load-cookies --save-cookies",
            "use --cookies, which reads and writes a file"
        ),
        ForeignOption(.wget, "--no-cache", "use '--header Cache-Control:no-cache'"),
        ForeignOption(.wget, "--start-pos", "use --range"),
        ForeignOption(.wget, "--show-progress", "use --progress"),
        ForeignOption(.wget, "--restrict-file-names", "leave it out: Pawl makes names safe"),
        ForeignOption(.wget, "--accept --include-directories", "use 'pawl mirror' with --include"),
        ForeignOption(
            .wget,
            "--reject --exclude-directories",
            "use 'pawl mirror' with --exclude"
        ),
        ForeignOption(
            .wget,
            "--accept-regex --reject-regex",
            "use 'pawl mirror' with --include and --exclude, which take patterns"
        ),
        ForeignOption(.wget, "--continue", "leave it out: downloads are resumed"),
        ForeignOption(.wget, "-nc --no-clobber", "use '--if-exists skip'"),
        ForeignOption(
            .wget,
            "-N --timestamping",
            "leave it out: a complete file is not fetched again; for many files, use 'pawl mirror'"
        ),
        ForeignOption(.wget, "-nv --no-verbose", "use --quiet"),
        ForeignOption(.wget, "-t --tries", "use --retries"),
        ForeignOption(.wget, "-T --timeout --read-timeout", "use --stall-timeout"),
        ForeignOption(.wget, "--dns-timeout", "use --connect-timeout"),
        ForeignOption(.wget, "--no-config", "use '--config none'"),
        ForeignOption(.wget, "-Q --quota", "leave it out: Pawl has no equivalent"),
        ForeignOption(
            .wget,
            "--http-user --http-password --password",
            "use '--user name:password'"
        ),
        ForeignOption(.wget, "--ask-password", "use '--user name', which asks for the password"),
        ForeignOption(.wget, "--no-check-certificate", "use --insecure"),
        ForeignOption(.wget, "--ca-certificate", "use --cacert"),
        ForeignOption(.wget, "--certificate", "use --cert"),
        ForeignOption(.wget, "--private-key", "use --key"),
        ForeignOption(.wget, "--no-proxy", "use '--proxy none'"),
        ForeignOption(.wget, "--inet4-only", "use --ipv4"),
        ForeignOption(.wget, "--inet6-only", "use --ipv6"),
        ForeignOption(.wget, "--hsts-file", "use --hsts with a file in the format of curl"),
        ForeignOption(.wget, "--no-hsts", "leave it out: only --hsts remembers hosts"),
        ForeignOption(.wget, "--bind-address", "use --interface"),
        ForeignOption(
            .wget,
            "--no-use-server-timestamps",
            "leave it out: files have the time of the download"
        ),
        ForeignOption(
            .wget,
            "--content-disposition --trust-server-names",
            "leave it out: the name that the server sends is used"
        ),
        ForeignOption(
            .wget,
            "--background",
            "use --background, which adds the downloads to the daemon's queue"
        ),
        ForeignOption(
            .wget,
            "--ftp-user --ftp-password",
            "use '--user name:password'"
        ),
        ForeignOption(.wget, "--max-redirect", "use --max-redirects"),
        ForeignOption(.wget, "--no-netrc", "use '--netrc none'"),
        ForeignOption(.wget, "-qO- -O-", "use '--output -' for standard output"),
        ForeignOption(.wget, "--debug", "use --verbose"),
        ForeignOption(
            .wget,
            "-a --output-file --append-output",
            "redirect standard error to the file"
        ),
        ForeignOption(
            .wget,
            "--execute",
            "use 'pawl mirror' with --no-robots for robots=off, and options for other settings"
        ),
        ForeignOption(
            .wget,
            "--proxy-password",
            "put the name and password into the URL of --proxy"
        ),
        ForeignOption(.wget, "--prefer-family", "use --ipv4 or --ipv6"),
        ForeignOption(
            .wget,
            "--retry-on-http-error --retry-on-host-error",
            "leave it out: temporary errors are retried"
        ),
        ForeignOption(
            .wget,
            "--secure-protocol",
            "leave it out: the system's settings for TLS are used"
        ),
        ForeignOption(.wget, "--ca-directory", "use --cacert with one file"),
        ForeignOption(
            .wget,
            "--certificate-type --private-key-type",
            "leave it out: a .p12 or .pfx file is PKCS#12, and any other file is PEM"
        ),
        ForeignOption(.wget, "--ftps-implicit", "write ftps:// in the URL"),
        ForeignOption(.wget, "--backups", "use '--if-exists rename'"),
        ForeignOption(.wget, "--content-on-error", "leave it out: an error page is never saved"),
        ForeignOption(.aria2, "--dir", "use --directory"),
        ForeignOption(.aria2, "--conf-path", "use --config"),
        ForeignOption(.aria2, "--no-conf", "use '--config none'"),
        ForeignOption(.aria2, "--out", "use --output"),
        ForeignOption(.aria2, "--split --max-connection-per-server", "use --connections"),
        ForeignOption(.aria2, "--metalink-file", "give the file or its URL as an argument"),
        ForeignOption(.aria2, "--max-concurrent-downloads", "use --jobs"),
        ForeignOption(.aria2, "--min-split-size", "leave it out: Pawl chooses the size of parts"),
        ForeignOption(.aria2, "--max-download-limit", "use --limit"),
        ForeignOption(.aria2, "--max-overall-download-limit", "use --total-limit"),
        ForeignOption(.aria2, "--lowest-speed-limit", "use --min-speed"),
        ForeignOption(.aria2, "--max-tries", "use --retries"),
        ForeignOption(.aria2, "--http-passwd", "use '--user name:password'"),
        ForeignOption(.aria2, "--all-proxy --http-proxy --https-proxy --ftp-proxy", "use --proxy"),
        ForeignOption(.aria2, "--check-certificate", "use --insecure"),
        ForeignOption(.aria2, "--allow-overwrite --auto-file-renaming", "use --if-exists"),
        ForeignOption(
            .aria2,
            "--file-allocation --no-file-allocation-limit",
            "leave it out: Pawl reserves space if the disk supports it"
        ),
        ForeignOption(
            .aria2,
            "--retry-wait",
            "leave it out: Pawl waits longer after each failure"
        ),
        ForeignOption(
            .aria2,
            "--max-file-not-found --max-resume-failure-tries",
            "use --retries"
        ),
        ForeignOption(.aria2, "--optimize-concurrent-downloads", "use --jobs"),
        ForeignOption(.aria2, "--summary-interval", "use --progress"),
        ForeignOption(.aria2, "--console-log-level", "use --quiet or --verbose"),
        ForeignOption(
            .aria2,
            "--auto-save-interval",
            "leave it out: received bytes are saved every second"
        ),
        ForeignOption(
            .aria2,
            "--uri-selector --stream-piece-selector --piece-length",
            "leave it out: Pawl chooses sources and parts by their speed"
        ),
        ForeignOption(
            .aria2,
            "--realtime-chunk-checksum",
            "leave it out: digests of pieces are checked"
        ),
        ForeignOption(
            .aria2,
            "--check-integrity",
            "leave it out: Pawl checks the bytes received so far"
        ),
        ForeignOption(.aria2, "--save-session --enable-rpc", "use 'pawl daemon start'"),
        ForeignOption(
            .aria2,
            "--force-sequential",
            "leave it out: each URL is a file of its own; for other sources, use --mirror"
        ),
        ForeignOption(
            .aria2,
            "--parameterized-uri",
            "leave it out: patterns such as file{1..9} always work"
        ),
        ForeignOption(
            .aria2,
            "--torrent-file --follow-torrent --seed-time --seed-ratio --bt-max-peers "
                + "--listen-port --dht-listen-port --max-upload-limit --max-overall-upload-limit "
                + "--enable-dht --bt-tracker",
            "leave it out: Pawl does not use BitTorrent"
        ),
        ForeignOption(.aria2, "--disk-cache --event-poll", "leave it out: Pawl has no equivalent"),
        ForeignOption(.aria2, "--on-download-complete", "use --on-complete"),
        ForeignOption(.aria2, "--on-download-error", "use --on-error"),
        ForeignOption(.aria2, "--on-download-start", "use --on-start"),
        ForeignOption(.aria2, "--netrc-path", "use --netrc"),
        ForeignOption(.aria2, "--ftp-passwd", "use '--user name:password'"),
        ForeignOption(.aria2, "--disable-ipv6", "use --ipv4"),
        ForeignOption(.aria2, "--http-accept-gzip", "use --compressed"),
        ForeignOption(
            .aria2,
            "--ssh-host-key-md",
            "use --host-key with the fingerprint that ssh shows"
        ),
        ForeignOption(.aria2, "--hash-check-only", "use 'pawl verify'"),
        ForeignOption(
            .aria2,
            "--all-proxy-user --all-proxy-passwd --http-proxy-user --http-proxy-passwd "
                + "--https-proxy-user --https-proxy-passwd --ftp-proxy-user --ftp-proxy-passwd",
            "put the name and password into the URL of --proxy"
        ),
        ForeignOption(.aria2, "--log --log-level", "use --verbose"),
        ForeignOption(.aria2, "--stop", "use --max-time, which applies to each download"),
        ForeignOption(.aria2, "--multiple-interface", "use --interface with one interface"),
        ForeignOption(
            .aria2,
            "--min-tls-version",
            "leave it out: the system's settings for TLS are used"
        ),
        ForeignOption(.aria2, "--http-no-cache", "use '--header Cache-Control:no-cache'"),
        ForeignOption(
            .aria2,
            "--conditional-get",
            "leave it out: a complete file is not fetched again"
        ),
        ForeignOption(.aria2, "--always-resume", "leave it out: downloads are resumed"),
        ForeignOption(.aria2, "--remove-control-file", "use --no-resume"),
        ForeignOption(.aria2, "--show-console-readout", "use '--progress none'"),
        ForeignOption(
            .aria2,
            "--rpc-listen-port --rpc-listen-all --rpc-secret",
            "use 'pawl daemon start' with --aria2-rpc"
        ),
        ForeignOption(
            .aria2,
            "--metalink-language --metalink-os --metalink-version",
            "leave it out: priorities and --metalink-location decide"
        ),
        ForeignOption(.rclone, "--transfers", "use --jobs"),
        ForeignOption(
            .rclone,
            "--checkers",
            "leave it out: 'pawl mirror' compares several at a time"
        ),
        ForeignOption(.rclone, "--immutable", "use '--if-exists fail'"),
        ForeignOption(
            .rclone,
            "--s3-access-key-id --s3-secret-access-key",
            "use '--user KEY-ID:SECRET', or variables such as AWS_ACCESS_KEY_ID"
        ),
        ForeignOption(.rclone, "--s3-env-auth", "leave it out: Pawl looks for credentials itself"),
        ForeignOption(.rclone, "--multi-thread-streams", "use --connections"),
        ForeignOption(
            .rclone,
            "--dry-run",
            "leave it out: Pawl has no equivalent; 'pawl mirror --delete' asks before it deletes"
        ),
        ForeignOption(.rclone, "--max-depth", "use 'pawl mirror' with --depth"),
        ForeignOption(
            .rclone,
            "--update --size-only",
            "leave it out: 'pawl mirror' fetches what is new or has changed"
        ),
        ForeignOption(
            .rclone,
            "--include --exclude --filter --include-from --exclude-from",
            "use 'pawl mirror' with --include and --exclude"
        ),
        ForeignOption(.rclone, "--delete-after --delete-during", "use 'pawl mirror --delete'"),
        ForeignOption(.rclone, "--header-download", "use --header"),
        ForeignOption(.rclone, "--bwlimit", "use --total-limit"),
        ForeignOption(.rclone, "--ignore-existing", "use '--if-exists skip'"),
        ForeignOption(.rclone, "--ca-cert", "use --cacert"),
        ForeignOption(.rclone, "--client-cert", "use --cert"),
        ForeignOption(.rclone, "--client-key --sftp-key-file", "use --key"),
        ForeignOption(.rclone, "--contimeout", "use --connect-timeout"),
        ForeignOption(.rclone, "--low-level-retries", "use --retries"),
        ForeignOption(.rclone, "--files-from", "use --input-file"),
        ForeignOption(.rclone, "--max-duration", "use --max-time"),
        ForeignOption(.rclone, "--disable-http2", "use --http1.1"),
        ForeignOption(.rclone, "--stdout", "use '--output -'"),
        ForeignOption(
            .rclone,
            "--sftp-host --sftp-user --sftp-port --ftp-host",
            "write them in the URL, such as sftp://user@host:22/file"
        ),
        ForeignOption(.rclone, "--stats", "use --progress"),
        ForeignOption(.aws, "--endpoint-url", "use --s3-endpoint"),
        ForeignOption(.aws, "--region", "use --s3-region"),
        ForeignOption(.aws, "--profile", "use --s3-profile"),
        ForeignOption(.aws, "--no-sign-request", "use --s3-anonymous"),
        ForeignOption(.aws, "--request-payer", "use '--header x-amz-request-payer:requester'"),
        ForeignOption(.aws, "--no-verify-ssl", "use --insecure"),
        ForeignOption(.aws, "--ca-bundle", "use --cacert"),
    ]
}
