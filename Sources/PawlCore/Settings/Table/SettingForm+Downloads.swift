internal import struct FoundationEssentials.URL
internal import struct FoundationEssentials.URLComponents

extension SettingForm where Value == Int64? {
    /// Bytes per second; 0 means no limit, as does `off` in text and null in JSON.
    package static let limit = SettingForm(
        schema: ["type": "integer", "minimum": 0],
        valueName: "rate",
        input: .rate,
        parse: { (text) throws(ValueError) in try NumberText.limit(text) },
        decode: { (value) throws(ValueError) in
            let limit = try SettingForm<Int64>.rate.decode(value)
            return limit > 0 ? limit : nil
        },
        encode: { $0.map { .number(Int($0)) } ?? .null }
    )
}

extension SettingForm where Value == ConnectionCount {
    /// A number, or `auto`.
    static let connections = SettingForm(
        schema: ["type": "integer", "minimum": 1, "maximum": 64],
        valueName: "n|auto",
        input: .number(1...64),
        parse: { (text) throws(ValueError) in try NumberText.connections(text) },
        decode: { (value) throws(ValueError) in
            .fixed(try SettingForm<Int>.count(1...64).decode(value))
        },
        encode: { count in
            switch count {
            case .automatic: .null
            case .fixed(let number): .number(number)
            }
        }
    )
}

extension SettingForm where Value == ChecksumPolicy {
    /// `sha256=…`, `auto` or `none`.
    static let checksum = SettingForm(
        schema: ["type": "string"],
        valueName: "algorithm=hex|auto|none",
        parse: { (text) throws(ValueError) in try ChecksumText.parse(text) },
        decode: { (value) throws(ValueError) in
            guard case .text(let text) = value else {
                throw ValueError("invalid checksum '\(value.brief)'", advice: ChecksumText.form)
            }
            if text == "none" { return .none }
            if text == "auto" { return .automatic }
            guard let digest = ContentDigest(parsing: text) else {
                throw ValueError("invalid checksum '\(value.brief)'", advice: ChecksumText.form)
            }
            return .digest(digest)
        },
        encode: { policy in
            switch policy {
            case .fromServer: .null
            case .automatic: "auto"
            case .none: "none"
            case .digest(let digest): .text(digest.description)
            }
        }
    )
}

extension SettingForm where Value == Int64 {
    /// A number of bytes.
    static let size = SettingForm(
        schema: ["type": "integer", "minimum": 0],
        valueName: "bytes",
        input: .number(0...(1 << 53)),
        parse: { (text) throws(ValueError) in
            guard text.isAllDigits, let size = Int64(text) else { throw invalidSize(text) }
            return size
        },
        decode: { (value) throws(ValueError) in
            guard case .number(let number) = value, number >= 0 else {
                throw invalidSize(value.brief)
            }
            return Int64(number)
        },
        encode: { .number(Int($0)) }
    )

    private static func invalidSize(_ text: String) -> ValueError {
        ValueError("invalid size '\(text.sanitized(atMost: 40))'", advice: "give a number of bytes")
    }
}

extension SettingForm where Value == PieceDigests {
    static let pieces = SettingForm.parsed("digests", text: \.description) {
        (text) throws(ValueError) in
        guard let pieces = PieceDigests(parsing: text) else {
            throw ValueError(
                "invalid digests of pieces '\(text.sanitized(atMost: 40))'",
                advice: "write ALGORITHM:LENGTH:BASE64, such as sha256:1048576:…"
            )
        }
        return pieces
    }
}

extension SettingForm where Value == URL {
    /// A URL, which may have a name and password for its own server.
    static let mirror = SettingForm.parsed("url", text: \.absoluteString, parse: read)

    /// A URL without a user, a password and a fragment.
    static let page = SettingForm.parsed("url", text: \.absoluteString) {
        (text) throws(ValueError) in try source(text).url
    }

    private static func read(_ text: String) throws(ValueError) -> URL {
        let (url, credentials) = try source(text)
        guard let credentials else { return url }
        var parts = URLComponents(url: url, resolvingAgainstBaseURL: false)
        parts?.user = credentials.name
        parts?.password = credentials.password
        return parts?.url ?? url
    }

    private static func source(
        _ text: String
    ) throws(ValueError) -> (url: URL, credentials: Credentials?) {
        do throws(DownloadError) {
            return try SourceURL.parse(text)
        } catch {
            throw ValueError(error.message, advice: error.guidance)
        }
    }
}

extension SettingForm where Value == HTTPField {
    /// `Name: value`, in JSON an object.
    static func field(forAnyOrigin: Bool) -> SettingForm {
        SettingForm(
            schema: ["$ref": "#/components/schemas/Field"],
            innerMembers: ["name", "value", "anyOrigin"],
            valueName: "line",
            input: .field,
            parse: { (text) throws(ValueError) in
                try HeaderLine.parse(text, forAnyOrigin: forAnyOrigin)
            },
            decode: { (value) throws(ValueError) in
                guard case .text(let name)? = value["name"], case .text(let text)? = value["value"]
                else {
                    throw ValueError("a field has no name or no value", advice: "give both")
                }
                guard name.isToken, !text.utf8.contains(where: { $0 < 0x20 && $0 != 9 }) else {
                    throw ValueError(
                        "the field '\(name.sanitized(atMost: 40))' cannot be sent",
                        advice: "use a name of letters, digits and '-', and a value on one line"
                    )
                }
                return HTTPField(
                    name: name,
                    value: text,
                    isForAnyOrigin: value["anyOrigin"] == true
                )
            },
            encode: { field in
                let mark: [(String, JSONValue)] = field.isForAnyOrigin ? [("anyOrigin", true)] : []
                return .object(mark + [("name", .text(field.name)), ("value", .text(field.value))])
            }
        )
    }
}

extension SettingForm where Value == HTTPField {
    /// A token for `Authorization` (RFC 6750 §2.1).
    static let bearer: SettingForm = {
        var form = field(forAnyOrigin: false)
        form.valueName = "token"
        form.input = .text
        form.parse = { (text) throws(ValueError) in
            guard !text.isEmpty, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                throw ValueError(
                    "the token is empty, or contains a space or a control character",
                    advice: "give the token alone"
                )
            }
            return HTTPField(name: "Authorization", value: "Bearer \(text)")
        }
        return form
    }()
}

extension SettingForm where Value == Credentials {
    /// `name:password`, in JSON an object.
    static let credentials = SettingForm(
        schema: ["$ref": "#/components/schemas/SignIn"],
        innerMembers: ["name", "password"],
        valueName: "name:password",
        input: .credentials,
        parse: { (text) throws(ValueError) in
            let user = try UserText.parse(text)
            return Credentials(name: user.name, password: user.password ?? "")
        },
        decode: { (value) throws(ValueError) in
            guard case .text(let name)? = value["name"],
                case .text(let password)? = value["password"]
            else { throw ValueError("missing name or password", advice: "give both as strings") }
            return Credentials(name: name, password: password)
        },
        encode: { .object([("name", .text($0.name)), ("password", .text($0.password))]) }
    )
}
