internal import Glibc
internal import Pawl
internal import PawlCore

/// Reads a file that an option names; `-` is standard input.
enum InputFile {
    /// The maximum size, which is larger than any list.
    ///
    /// It limits the memory if the path of a device or an image is given by mistake.
    static let maximumBytes = 64 << 20

    /// Throws unless the file is empty or a cookie file: Pawl would overwrite any other file.
    static func checkCookieFile(_ path: String, location: String) throws(DownloadError) {
        try check(
            CookieFileContent.self,
            path,
            location: location,
            form: "a cookie file",
            advice: "use a file in Netscape's format, or --header 'Cookie: name=value'"
        )
    }

    /// Throws unless the file is empty or an HSTS file: Pawl would overwrite any other file.
    static func checkSecureHosts(_ path: String, location: String) throws(DownloadError) {
        try check(
            SecureHostList.self,
            path,
            location: location,
            form: "an HSTS file of curl",
            advice: "use a file that curl --hsts has written, or a new one"
        )
    }

    /// Throws unless the file is empty or an Alt-Svc file: Pawl would overwrite any other file.
    static func checkAlternatives(_ path: String, location: String) throws(DownloadError) {
        try check(
            AlternativeServiceList.self,
            path,
            location: location,
            form: "an Alt-Svc file of curl",
            advice: "use a file that curl --alt-svc has written, or a new one"
        )
    }

    private static func check<Content: SharedFileContent>(
        _ content: Content.Type,
        _ path: String,
        location: String,
        form: String,
        advice: Advice
    ) throws(DownloadError) {
        let text = try keptText(of: path, location: location, form: form)
        guard content.isValid(text) else {
            throw .usage("\(location): '\(path)' is not \(form)", advice: advice)
        }
    }

    /// Returns the text of a file that a session uses, too; that of a pipe is kept for the session.
    private static func keptText(
        of path: String,
        location: String,
        form: String
    ) throws(DownloadError) -> String {
        if let known = OnceReadFiles.text(of: path) { return known }
        let text = try text(of: path, location: location, form: form)
        if path == "-" || !OutputPath.isRegularFile(path) { OnceReadFiles.keep(text, of: path) }
        return text
    }

    /// What a list should contain, for advice.
    static let formOfList = "a list of URLs, one per line, or a Metalink"

    /// Reads a list of downloads.
    static func read(
        _ path: String,
        _ reading: InputList.Reading
    ) throws(DownloadError) -> InputList {
        let bytes = try bytes(
            of: path,
            location: "--input-file",
            form: formOfList
        )
        return try InputList(bytes: bytes, name: name(path).sanitized, reading)
    }

    /// Returns the text of a file.
    ///
    /// `form`: what the file should contain, for the advice of an error. `hasBegun`: whether the
    /// caller has noted that it reads standard input. `check`: is called with the status of the open
    /// file, unless that is standard input.
    static func text(
        of path: String,
        location: String,
        form: String,
        hasBegun: Bool = false,
        check: (stat) throws(DownloadError) -> Void = { _ throws(DownloadError) in }
    ) throws(DownloadError) -> String {
        let bytes = try bytes(
            of: path,
            location: location,
            form: form,
            hasBegun: hasBegun,
            check: check
        )
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .usage("\(name(path)) is not text in UTF-8", advice: "use \(form)")
        }
        return text
    }

    static func name(_ path: String) -> String { path == "-" ? "standard input" : path }

    /// Returns the content of a file.
    static func bytes(
        of path: String,
        location: String,
        form: String,
        hasBegun: Bool = false,
        check: (stat) throws(DownloadError) -> Void = { _ throws(DownloadError) in }
    ) throws(DownloadError) -> [UInt8] {
        guard path != "-" else {
            if !hasBegun { try begin(STDIN_FILENO, path, location: location) }
            return try contents(STDIN_FILENO, name: name(path), form)
        }
        try OutputPath.checkReadable(path, location: location)
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw unreadable(path) }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw unreadable(path) }
        try check(status)
        try begin(file, path, location: location)
        return try contents(file, name: path, form)
    }

    /// Lets nothing read standard input from now on but the caller, who passes `hasBegun`.
    ///
    /// `location`: the option that uses it, for the error if it was read before.
    static func reserveStandardInput(location: String) throws(DownloadError) {
        try begin(STDIN_FILENO, "-", location: location)
    }

    /// Throws if the file has nothing for a second reader and was read before, by any name.
    static func begin(
        _ file: Int32,
        _ path: String,
        location: String
    ) throws(DownloadError) {
        var status = stat()
        guard fstat(file, &status) == 0 else { throw unreadable(name(path)) }
        // A regular file that is opened again is read from its beginning, and a device such as
        // /dev/null is the same for all.
        let isPipe = ![S_IFREG, S_IFCHR].contains(status.st_mode & S_IFMT)
        guard path == "-" || isPipe else { return }
        let isFirst = OnceReadFiles.begin(
            device: UInt64(status.st_dev),
            inode: UInt64(status.st_ino)
        )
        guard isFirst else {
            throw .usage(
                "\(location): \(name(path).sanitized) was already read",
                advice: "use a pipe or - only once, and files for the others"
            )
        }
    }

    /// Returns the rest of an open file.
    ///
    /// `begun`: what was read before.
    static func contents(
        _ file: Int32,
        name: String,
        _ form: String,
        begun: [UInt8] = []
    ) throws(DownloadError) -> [UInt8] {
        var all = begun
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while all.count <= maximumBytes {
            let count = Glibc.read(file, &chunk, chunk.count)
            if count == 0 { return all }
            if count < 0 {
                if errno == EINTR { continue }
                throw unreadable(name)
            }
            all += chunk[..<count]
        }
        throw .usage(
            "\(name) is longer than \(ByteText.size(Int64(maximumBytes)))",
            advice: "use \(form)"
        )
    }

    static func unreadable(_ name: String) -> DownloadError {
        DownloadError(
            .fileUnreadable,
            "\(name) cannot be read: \(String(cString: strerror(errno)))",
            advice: "check the name and the permissions of the file"
        )
    }
}
