internal import CPage
internal import PawlCore

/// A file of the web page, embedded in the program.
package struct PageFile: Sendable {
    package let name: String
    package let bytes: [UInt8]

    /// The path at which it is served.
    package var path: String {
        switch name {
        case "index.html": "/"
        // A worker concerns only pages below its own folder. It is available after the login.
        case "worker.js": "/worker.js"
        default: "/assets/\(name)"
        }
    }

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
        bytes = name.hasSuffix(".js") ? Self.compact(content) : content
    }

    /// Returns a script without indentation and without comment lines, which only readers of the
    /// source need.
    ///
    /// No script has a template literal of several lines, whose indentation would count.
    private static func compact(_ script: [UInt8]) -> [UInt8] {
        let end = UInt8(ascii: "\n")
        let lines = script.split(separator: end).map { $0.drop { $0 == UInt8(ascii: " ") } }
        return Array(lines.filter { !$0.starts(with: "//".utf8) }.joined(separator: [end]))
    }

    /// An entity tag, which changes with the content.
    package var tag: String { "\"\(CyclicChecksum.of(bytes).hexadecimal)\"" }

    /// The media type, by the extension of the name.
    package var type: String {
        switch name.split(separator: ".").last {
        case "html": "text/html; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "svg": "image/svg+xml"
        case "png": "image/png"
        case "webmanifest": "application/manifest+json"
        default: "application/octet-stream"
        }
    }
}
