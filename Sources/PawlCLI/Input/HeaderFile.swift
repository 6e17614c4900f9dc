internal import PawlCore

/// Reads a file of headers.
enum HeaderFile {
    /// Returns the lines that are not empty, with their numbers.
    static func lines(
        of path: String,
        location: String
    ) throws(DownloadError) -> [(number: Int, line: String)] {
        let text = try InputFile.text(of: path, location: location, form: "headers, one per line")
        return InputList.lines(of: text).compactMap { number, line in
            let line = line.last == "\r" ? String(line.dropLast()) : line
            return line.isEmpty ? nil : (number, line)
        }
    }
}
