internal import CCurl
internal import PawlCore

/// The replies of an FTP or SFTP server about a file, and their meaning in HTTP's terms.
///
/// So all that decides about responses applies to these files, too: a size and a modification time
/// are those of a representation, and a refusal is a status.
struct FileReplies {
    /// The last reply of an FTP server (RFC 959 §4.2), without a line break.
    private(set) var last = ""
    /// The size of the file, from the reply to `SIZE` (RFC 3659 §4).
    private var size: Int64?
    /// The status of a refusal.
    private(set) var refusal: Int?
    /// The number of bytes that follow; `nil` if it is not known.
    private var length: Int64?
    /// The modification time in seconds since 1970.
    private var modified: Int64?

    /// The password of the request, which a server may repeat in its replies.
    private let secret: String?

    /// The minimum length of a password that is hidden: a shorter one can be part of any word.
    private static let shortestSecret = 4

    init(hiding secret: String?) {
        self.secret = secret.flatMap { $0.utf8.count < Self.shortestSecret ? nil : $0 }
    }

    private var code: Int? { Int(last.prefix(3)) }

    mutating func take(_ line: UnsafeRawBufferPointer) {
        let text = String(decoding: line, as: UTF8.self)[...].trimmed(of: " \r\n")
        // Other lines of a longer reply have a hyphen after the code, or no code.
        guard text.utf8.count >= 3, text.utf8.prefix(3).allSatisfy({ $0.isDigit }),
            text.utf8.dropFirst(3).first != UInt8(ascii: "-")
        else { return }
        let shown = secret.map { text.replacing($0, with: "***") } ?? text
        last = shown.sanitized(atMost: 200)
        if code == 213 { takeSize(text.dropFirst(4)) }
    }

    /// Takes the reply to `SIZE`, and not that to `MDTM`, which is a time of 14 digits or more.
    private mutating func takeSize(_ text: Substring) {
        let digits = text.utf8.reversed().prefix { $0.isDigit }.count
        let isTime = text.utf8.prefix { $0.isDigit }.count == 14
        guard !isTime, let size = Int64(text.suffix(digits)) else { return }
        self.size = size
    }

    /// Notes what libcurl knows of the file; -1 means that it does not know.
    ///
    /// `hasBody`: whether bytes of the file have arrived; some servers report that it has none.
    mutating func note(length: Int64?, modified: Int64?, hasBody: Bool) {
        self.length = length.flatMap { $0 < 0 || ($0 == 0 && hasBody) ? nil : $0 }
        self.modified = modified.flatMap { $0 < 0 ? nil : $0 }
    }

    /// Notes why libcurl could not fetch the file; returns `false` if that is not an answer about
    /// it.
    mutating func refuse(_ failure: CURLcode) -> Bool {
        refusal = Self.status(of: failure, code: code, text: last)
        return refusal != nil
    }

    private static func status(of failure: CURLcode, code: Int?, text: String) -> Int? {
        // 421 refuses the service, mostly because there are too many connections.
        if [421, 425, 450, 451, 452].contains(code) { return 503 }
        switch failure {
        case CURLE_REMOTE_FILE_NOT_FOUND, CURLE_FTP_COULDNT_RETR_FILE: return 404
        // libcurl reports this if a folder cannot be entered.
        case CURLE_REMOTE_ACCESS_DENIED: return code == 550 ? 404 : 403
        case CURLE_LOGIN_DENIED:
            let isFull = ["too many", "maximum", "limit"].contains {
                text.lowercased().contains($0)
            }
            return isFull ? 503 : 401
        // Reported as a 206 without Content-Range: a server without ranges.
        case CURLE_FTP_COULDNT_USE_REST, CURLE_BAD_DOWNLOAD_RESUME: return 206
        default: return nil
        }
    }

    /// The head that describes the file, or the refusal.
    func head(_ request: TransferRequest) -> ResponseHead {
        var head = ResponseHead(
            url: request.url,
            status: refusal ?? 200,
            reason: refusal.map(reason) ?? "",
            protocolVersion: request.scheme.rawValue.uppercased()
        )
        guard refusal == nil else { return head }
        // Without a date of the server, the modification time may be that of a change in the same
        // second, and it was not sent together with the bytes: it is not a strong validator.
        if let modified {
            let date = HTTPDate(secondsSince1970: modified)
            head.fields.append(HTTPField(name: "Last-Modified", value: date.text))
        }
        guard let range = request.range else {
            if let length {
                head.fields.append(HTTPField(name: "Content-Length", value: "\(length)"))
            }
            return head
        }
        head.status = 206
        // SFTP reports no size, but all bytes from the start of the range follow.
        guard let total = size ?? (request.scheme == .sftp ? total(from: range.start) : nil),
            total > range.start
        else { return head }
        let end = min(range.end, total)
        head.fields += [
            HTTPField(name: "Content-Length", value: "\(end - range.start)"),
            HTTPField(name: "Content-Range", value: "bytes \(range.start)-\(end - 1)/\(total)"),
        ]
        return head
    }

    /// The server's own words; those of SFTP do not reach us.
    private func reason(of status: Int) -> String {
        guard last.isEmpty else { return last }
        return switch status {
        case 401: "the login failed"
        case 403: "no permission"
        case 404: "no such file"
        default: ""
        }
    }

    /// The size of a file all of whose bytes from an offset follow.
    private func total(from start: Int64) -> Int64? {
        guard let (total, isOverflow) = length.map(start.addingReportingOverflow) else {
            return nil
        }
        return isOverflow ? nil : total
    }
}
