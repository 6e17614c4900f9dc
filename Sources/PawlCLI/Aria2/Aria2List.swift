internal import PawlCore
package import PawlWire

/// A list of aria2: the URIs of a file in one line, separated by tabs, and its options in the
/// indented lines below (pure).
package enum Aria2List {
    package static func downloads(in text: String) -> [Aria2Launch.Download] {
        var downloads: [Aria2Launch.Download] = []
        for line in text.split(whereSeparator: \.isNewline) where !line.hasPrefix("#") {
            if line.hasPrefix(" ") || line.hasPrefix("\t") {
                guard let last = downloads.indices.last else { continue }
                downloads[last].options += Aria2Arguments(configuration: String(line)).options
            } else {
                let uris = line.split(separator: "\t").map { $0.trimmed(of: " \r") }
                downloads.append(Aria2Launch.Download(uris: uris.filter { !$0.isEmpty }))
            }
        }
        return downloads.filter { !$0.uris.isEmpty }
    }
}
