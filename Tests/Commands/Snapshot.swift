import Glibc
import SystemPackage
import Testing

/// A text that is stored beside the tests; `PAWL_RECORD=1` records it again.
enum Snapshot {
    static func expect(
        _ text: String,
        matches name: String,
        folder: String = "Snapshots",
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let path = location(folder: folder, name: name)
        if isRecording {
            let file = try FileDescriptor.open(
                path,
                .writeOnly,
                options: [.create, .truncate],
                permissions: [.ownerReadWrite]
            )
            _ = try file.closeAfter { try file.writeAll(text.utf8) }
        }
        #expect(try read(path) == text, sourceLocation: sourceLocation)
    }

    /// The text as it is kept.
    static func text(of name: String, folder: String) throws -> String {
        try read(location(folder: folder, name: name))
    }

    private static var isRecording: Bool { environment("PAWL_RECORD") == "1" }

    private static func location(folder: String, name: String) -> FilePath {
        FilePath("\(#filePath)").removingLastComponent().pushing(FilePath(folder))
            .lexicallyNormalized().appending(name)
    }

    private static func read(_ path: FilePath) throws -> String {
        let file = try FileDescriptor.open(path, .readOnly)
        return try file.closeAfter {
            var bytes = [UInt8](repeating: 0, count: 1 << 20)
            let count = try bytes.withUnsafeMutableBytes { try file.read(into: $0) }
            return String(decoding: bytes[..<count], as: UTF8.self)
        }
    }
}

private func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
}
