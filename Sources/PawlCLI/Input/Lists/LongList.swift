internal import Glibc
internal import Pawl
internal import PawlCore

/// A list of URLs, one per line, that is too long for one request: it is read line by line.
struct LongList: Sendable {
    /// A file that is closed when nobody uses it.
    private final class OpenList: Sendable {
        let descriptor: Int32

        init(_ descriptor: Int32) { self.descriptor = descriptor }

        deinit { if descriptor != STDIN_FILENO { close(descriptor) } }
    }

    /// The name of the list in errors.
    let name: String
    /// A text that identifies the list among others.
    let identity: String
    private let file: OpenList
    /// What is read already.
    private let head: [UInt8]

    /// The size of the longest list that is read as a whole.
    static let mostBytes = 4 << 20

    /// Opens the list of a command if it is such a list.
    ///
    /// If it is another one, and can be read only once, `choice` gets what was read.
    static func open(_ choice: inout InputChoice) throws(DownloadError) -> LongList? {
        guard choice.urls.isEmpty, choice.lists.count == 1, let path = choice.lists.first,
            !RemoteList.isURL(path), !path.lowercased().hasSuffix(".csv")
        else { return nil }
        let location = "--input-file"
        if path != "-" { try OutputPath.checkReadable(path, location: location) }
        let descriptor = path == "-" ? STDIN_FILENO : Glibc.open(path, O_RDONLY | O_CLOEXEC)
        let name = InputFile.name(path)
        guard descriptor >= 0 else { throw InputFile.unreadable(name) }
        let file = OpenList(descriptor)
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw InputFile.unreadable(name) }
        let isRegular = status.st_mode & S_IFMT == S_IFREG && path != "-"
        guard !isRegular || status.st_size > mostBytes else { return nil }
        try InputFile.begin(descriptor, path, location: location)
        let head = try read(descriptor, atMost: isRegular ? 64 << 10 : mostBytes + 1, name)
        if isTextList(head), isRegular || head.count > mostBytes {
            return LongList(
                name: name.sanitized,
                identity: isRegular
                    ? identity(of: status) : "piped \(CyclicChecksum.of(head))",
                file: file,
                head: head
            )
        }
        guard !isRegular else { return nil }
        guard head.count > mostBytes else {
            // A terminal, or a pipe with another writer, would begin again after its end.
            choice.content = head
            return nil
        }
        choice.content = try InputFile.contents(
            descriptor,
            name: name,
            InputFile.formOfList,
            begun: head
        )
        return nil
    }

    private static func identity(of status: stat) -> String {
        let changed = "\(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)"
        return "\(status.st_dev) \(status.st_ino) \(status.st_size) \(changed)"
    }

    /// Whether the beginning of a list is that of one with a URL per line.
    private static func isTextList(_ head: [UInt8]) -> Bool {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = head.starts(with: mark) ? head.dropFirst(3) : head[...]
        guard !Metalink.mayBe(head), let first = text.first(where: { $0 > 0x20 }) else {
            return false
        }
        return first != UInt8(ascii: "[") && first != UInt8(ascii: "{")
    }

    private static func read(
        _ descriptor: Int32,
        atMost limit: Int,
        _ name: String
    ) throws(DownloadError) -> [UInt8] {
        var all: [UInt8] = []
        while all.count < limit {
            let some = try readSome(descriptor, atMost: limit - all.count, name)
            guard !some.isEmpty else { break }
            all += some
        }
        return all
    }

    /// Returns the next bytes; empty at the end.
    private static func readSome(
        _ descriptor: Int32,
        atMost limit: Int,
        _ name: String
    ) throws(DownloadError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: min(limit, 256 << 10))
        while true {
            let count = Glibc.read(descriptor, &bytes, bytes.count)
            if count >= 0 { return Array(bytes[..<count]) }
            guard errno == EINTR else { throw InputFile.unreadable(name) }
        }
    }

    /// What a line contains.
    enum Item {
        /// A URL without options whose bytes mean the same in JSON.
        case url([UInt8])
        case entry(InputList.Entry)
    }

    /// Reads the list from its beginning; can be called once.
    func reader() -> Reader { Reader(self) }

    /// Reads a list line by line; its calls block.
    struct Reader {
        private let list: LongList
        private var lines = BoundedLines(mostBytes: 1 << 20)
        private var text: TextList
        /// The number of the last line.
        private var number = 0
        /// A plain URL that options may follow, with its number.
        private var plain: (bytes: [UInt8], number: Int)?
        /// Whether the URL of the next options was refused.
        private var skipsOptions = false
        private var isAtEnd = false

        fileprivate init(_ list: LongList) {
            self.list = list
            text = TextList(list.name)
            let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
            lines.append(list.head.starts(with: mark) ? Array(list.head.dropFirst(3)) : list.head)
        }

        /// Returns the next item and the number of its line; `nil` at the end.
        mutating func next() throws(DownloadError) -> (item: Item, number: Int)? {
            while let line = try nextLine() {
                if let found = try read(line) { return found }
            }
            if let plain = takePlain() { return plain }
            return takeEntry()
        }

        private mutating func nextLine() throws(DownloadError) -> [UInt8]? {
            while true {
                let line = lines.next() ?? (isAtEnd ? lines.last() : nil)
                if let line {
                    number += 1
                    if case .text(let bytes) = line { return bytes }
                    try readTooLong()
                    continue
                }
                guard !isAtEnd else { return nil }
                let some = try LongList.readSome(
                    list.file.descriptor,
                    atMost: .max,
                    list.name
                )
                if some.isEmpty { isAtEnd = true } else { lines.append(some) }
            }
        }

        /// Reads a line of which only the first byte is known.
        private mutating func readTooLong() throws(DownloadError) {
            let first = lines.firstOfTooLong
            guard first != UInt8(ascii: "#") else { return }
            let isOption = first == UInt8(ascii: " ") || first == UInt8(ascii: "\t")
            guard !isOption || !skipsOptions else { return }
            skipsOptions = true
            let error = DownloadError.usage("\(list.name), line \(number): the line is too long")
            throw isOption && hasURL ? refuseEntry(error) : error
        }

        private mutating func read(
            _ line: [UInt8]
        ) throws(DownloadError) -> (item: Item, number: Int)? {
            let content = LongList.withoutEnd(line)
            // Comments may be between a URL and its options.
            let first = content.first { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
            guard let first, first != UInt8(ascii: "#") else { return nil }
            let isIndented = first != content.first
            if isIndented, !LongList.isURL(content) {
                if !skipsOptions { try readOption(line) }
                return nil
            }
            // Until the line is read.
            skipsOptions = true
            let before: (item: Item, number: Int)?
            if !isIndented, LongList.isPlain(content) {
                before = takePlain() ?? takeEntry()
                plain = (content, number)
            } else {
                // A URL above this line is kept if the line cannot be read.
                let found = try readText(line, number)
                before = takePlain() ?? found
            }
            skipsOptions = false
            return before
        }

        /// Whether there is a URL that options may follow.
        private var hasURL: Bool { plain != nil || text.hasEntry }

        private mutating func readOption(_ line: [UInt8]) throws(DownloadError) {
            let isOfURL = hasURL
            do throws(DownloadError) {
                // While there is a plain URL, `text` has no entry that it could return.
                if let (bytes, number) = plain { _ = try readText(bytes, number) }
                plain = nil
                _ = try readText(line, number)
            } catch {
                skipsOptions = true
                throw isOfURL ? refuseEntry(error) : error
            }
        }

        /// Drops the URL above an option that was refused; returns the error.
        private mutating func refuseEntry(_ error: DownloadError) -> DownloadError {
            plain = nil
            _ = text.takeLast()
            return DownloadError(
                error.code,
                "\(error.message); the URL above it is not added",
                advice: error.guidance,
                context: error.context
            )
        }

        private mutating func takeEntry() -> (item: Item, number: Int)? {
            text.takeLast().map { (.entry($0), text.lineOfReturned) }
        }

        private mutating func takePlain() -> (item: Item, number: Int)? {
            defer { plain = nil }
            return plain.map { (.url($0.bytes), $0.number) }
        }

        /// Reads a line as a list of other forms does; returns the entry before it.
        private mutating func readText(
            _ line: [UInt8],
            _ number: Int
        ) throws(DownloadError) -> (item: Item, number: Int)? {
            guard let line = String(validating: line, as: UTF8.self) else {
                throw .usage(
                    "\(list.name), line \(number): not text in UTF-8",
                    advice: "use a list of URLs"
                )
            }
            return try text.read(line, number).map { (.entry($0), text.lineOfReturned) }
        }
    }

    /// Whether an indented line is a URL and not an option.
    private static func isURL(_ line: [UInt8]) -> Bool {
        TextList.isURL(String(decoding: line, as: UTF8.self)[...].trimmed(of: InputList.blanks))
    }

    private static func withoutEnd(_ line: [UInt8]) -> [UInt8] {
        guard let last = line.lastIndex(where: { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }) else {
            return []
        }
        return last == line.count - 1 ? line : Array(line[...last])
    }

    /// Whether a line is an HTTP URL that is no pattern, has no password, and needs no escapes.
    private static func isPlain(_ line: [UInt8]) -> Bool {
        (line.starts(with: "http://".utf8) || line.starts(with: "https://".utf8))
            && line.allSatisfy {
                $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
                    && $0 != UInt8(ascii: "{") && $0 != UInt8(ascii: "@")
            }
    }
}
