internal import PawlCore

/// The headers of a file, one per line.
enum HeaderFile {
    /// Returns the lines that are not empty as options.
    static func options(of text: String, location: String) -> [OptionAssignment] {
        InputList.lines(of: text).compactMap { number, line in
            let line = line.last == "\r" ? String(line.dropLast()) : line
            guard !line.isEmpty else { return nil }
            let origin = OptionAssignment.ValueOrigin.named("\(location), line \(number)")
            var header = OptionAssignment("header", line, at: origin)
            header.form = .content
            return header
        }
    }
}
