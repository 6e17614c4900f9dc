internal import CPage

/// A file of the web page.
///
/// All of them are contained in the program.
package struct PageFile: Sendable {
    package let name: String
    package let bytes: [UInt8]

    /// The path at which the file is served.
    package var path: String { name == "index.html" ? "/" : "/assets/\(name)" }

    package static let all: [PageFile] = {
        var files: [PageFile] = []
        while true {
            let file = pawl_page_file(files.count)
            guard let name = file.name, let bytes = file.bytes else { return files }
            let content = Array(UnsafeBufferPointer(start: bytes, count: file.count))
            files.append(PageFile(name: String(cString: name), content))
        }
    }()

    private init(name: String, _ content: [UInt8]) {
        self.name = name
        bytes = name.hasSuffix(".js") ? Self.withoutComments(content) : content
    }

    /// Returns a script without its comment lines, which are only for readers of the source.
    private static func withoutComments(_ script: [UInt8]) -> [UInt8] {
        let end = UInt8(ascii: "\n")
        let lines = script.split(separator: end, omittingEmptySubsequences: false)
        let kept = lines.filter { !$0.drop { $0 == UInt8(ascii: " ") }.starts(with: "//".utf8) }
        return Array(kept.joined(separator: [end]))
    }

    /// A tag that changes with the content (FNV-1a).
    package var tag: String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return "\"\(String(hash, radix: 16))\""
    }

    /// The media type, by the file's name.
    package var type: String {
        switch name.split(separator: ".").last {
        case "html": "text/html; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "svg": "image/svg+xml"
        default: "application/octet-stream"
        }
    }
}
