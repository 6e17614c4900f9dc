internal import Pawl
internal import PawlCore

/// The files that options name, each of which is read once: a pipe has nothing for a second reader.
enum OptionFiles {
    /// Replaces each option that names a file by what the file contains.
    static func read(_ options: [OptionAssignment]) throws(DownloadError) -> [OptionAssignment] {
        var read: [OptionAssignment] = []
        for option in options { read += try self.read(option) }
        return read
    }

    /// Replaces an option that names a file by what the file contains.
    static func read(_ option: OptionAssignment) throws(DownloadError) -> [OptionAssignment] {
        guard option.form == .typed else { return [option] }
        switch option.name {
        case DownloadOptions.headerFile:
            let text = try text(of: option.value, option, form: "headers, one per line")
            return HeaderFile.options(of: text, location: option.location)
        case "data" where option.value.hasPrefix("@"), "json" where option.value.hasPrefix("@"):
            let path = String(option.value.dropFirst())
            var option = option
            option.value = try text(of: path, option, form: "the body")
            option.form = .content
            return [option]
        default: return [option]
        }
    }

    private static func text(
        of path: String,
        _ option: OptionAssignment,
        form: String
    ) throws(DownloadError) -> String {
        // The text serves all downloads of the command.
        if let known = OnceReadFiles.text(of: path, for: option.name) { return known }
        let text = try InputFile.text(of: path, location: option.location, form: form)
        OnceReadFiles.keep(text, of: path, for: option.name)
        return text
    }
}
