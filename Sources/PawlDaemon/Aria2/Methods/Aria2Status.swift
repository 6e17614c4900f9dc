package import PawlCore
package import PawlWire

/// A download as aria2 reports it (pure); all numbers are texts.
package struct Aria2Status: Sendable {
    private let download: WireDownload
    private let gid: String
    /// The written ranges; `nil` if they are not known.
    private let written: [WireSegments.Part]?

    package init(_ download: WireDownload, _ gid: String, written: [WireSegments.Part]? = nil) {
        (self.download, self.gid, self.written) = (download, gid, written)
    }

    /// Returns the members with these names; all of them if no name is given.
    package func value(_ keys: [String]?) -> JSONValue {
        let wanted = keys ?? []
        return .object(
            Self.members.compactMap { name, value in
                guard wanted.isEmpty || wanted.contains(name) else { return nil }
                return value(self).map { (name, $0) }
            }
        )
    }

    /// The members and their values; one without a value is left out.
    private static let members: [(name: String, value: @Sendable (Aria2Status) -> JSONValue?)] = [
        ("bitfield", { $0.bitfield.map { .text($0) } }),
        ("completedLength", { .text("\($0.download.completedBytes)") }),
        ("connections", { .text("\($0.download.connections ?? 0)") }),
        ("dir", { .text($0.folder) }),
        ("downloadSpeed", { .text("\($0.download.bytesPerSecond ?? 0)") }),
        ("errorCode", { $0.errorCode.map { .text("\($0)") } }),
        ("errorMessage", { $0.errorCode == nil ? nil : .text($0.download.problem?.title ?? "") }),
        ("files", { $0.files }),
        ("gid", { .text($0.gid) }),
        ("numPieces", { .text("\($0.pieces.count)") }),
        ("pieceLength", { .text("\($0.pieces.length)") }),
        ("status", { .text($0.state) }),
        ("totalLength", { .text("\($0.totalBytes)") }),
        ("uploadLength", { _ in "0" }),
        ("uploadSpeed", { _ in "0" }),
    ]

    package static var names: [String] { members.map(\.name) }

    private var state: String {
        switch download.state {
        case .running, .waitingForConnectivity: "active"
        case .waiting: "waiting"
        case .suspended, .paused: "paused"
        case .finished: "complete"
        case .failed: "error"
        case .cancelled: "removed"
        }
    }

    /// The code of an ended download; the table of errors has aria2's numbers.
    private var errorCode: Int32? {
        switch download.state {
        case .finished: 0
        case .failed: download.problem?.code.exitStatus ?? 1
        case .cancelled: 31
        default: nil
        }
    }

    private var totalBytes: Int64 {
        download.totalBytes ?? (download.state == .finished ? download.completedBytes : 0)
    }

    private var path: String {
        download.path
            ?? (download.destination.isFolderPath
                ? download.destination + shownName : download.destination)
    }

    /// The name as a part of the destination.
    private var shownName: String {
        ObjectAddress.isOne(download.destination)
            ? download.name.utf8.percentEncoded(except: "/") : download.name
    }

    /// The folder without a slash at its end.
    private var folder: String {
        let folder = path.pathFolder
        return folder.utf8.count > 1 ? String(folder.dropLast()) : folder
    }

    package var files: JSONValue {
        [
            [
                "completedLength": .text("\(download.completedBytes)"),
                "index": "1",
                "length": .text("\(totalBytes)"),
                "path": .text(path),
                "selected": "true",
                "uris": uris,
            ]
        ]
    }

    package var uris: JSONValue {
        let isUsed = download.state.isActive || download.state.isEnd
        let first: JSONValue = [
            "status": isUsed ? "used" : "waiting", "uri": .text(download.url),
        ]
        let others = (download.mirrors ?? []).map { url -> JSONValue in
            ["status": "waiting", "uri": .text(url)]
        }
        return .list([first] + others)
    }

    // MARK: - Pieces

    private static let smallestPiece: Int64 = 1 << 20
    /// The maximum number of pieces, so that the status of a large file stays short.
    private static let mostPieces: Int64 = 1 << 13

    /// The pieces that the file is divided into, for display only.
    private var pieces: (count: Int64, length: Int64) {
        var length = Self.smallestPiece
        while totalBytes / length >= Self.mostPieces { length *= 2 }
        return (totalBytes / length + (totalBytes % length > 0 ? 1 : 0), length)
    }

    /// The complete pieces as digits in base 16, the first piece in the highest bit.
    private var bitfield: String? {
        let (count, length) = pieces
        guard count > 0 else { return nil }
        let isComplete = download.state == .finished
        let known =
            isComplete ? [ByteRange(0, totalBytes)] : written?.map { ByteRange($0.from, $0.to) }
        guard let known else { return nil }
        var bytes = [UInt8](repeating: 0, count: Int(count + 7) / 8)
        for range in known {
            let first = range.start / length + (range.start % length > 0 ? 1 : 0)
            let end = range.end >= totalBytes ? count : range.end / length
            for piece in first..<max(first, end) where piece < count {
                bytes[Int(piece) / 8] |= 0x80 >> UInt8(piece % 8)
            }
        }
        return bytes.hexadecimal
    }
}
