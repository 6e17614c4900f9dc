internal import PawlCore

/// Reads a file of headers.
enum HeaderFile {
    /// Returns the lines that are not empty, with their numbers.
    static func lines(
        of path: String,
        location: String
    ) throws(DownloadError) -> [(number: Int, line: String)] {
        let text = try InputFile.text(of: path, location: location, form: "headers, one per line")
        // CR LF is one character, but two scalars.
        let lines = text.unicodeScalars.split(
            separator: "\n" as Unicode.Scalar,
            omittingEmptySubsequences: false
        )
        return lines.enumerated().compactMap { index, line in
            let line = line.last == "\r" ? line.dropLast() : line
            return line.isEmpty ? nil : (index + 1, String(line))
        }
    }
}
