internal import PawlCore
internal import struct FoundationEssentials.URL

/// The object in which a download is saved, if `--output` or `--directory` names a bucket.
struct ObjectOutput {
    let url: URL
    /// The settings of the download, without those of the config file that are about files.
    let settings: DownloadSettings

    /// Returns `nil` if the options name no bucket.
    init?(_ options: DownloadOptions) throws(DownloadError) {
        guard let url = try Self.url(options) else { return nil }
        self.url = url
        var settings = options.settings
        for setting in settings.fileSettings {
            guard let given = options.ownLocation(of: setting.name) else { continue }
            throw .usage(
                "\(given): this is about a file, and \(url.absoluteString) is an object",
                advice: "remove it, or save to a file"
            )
        }
        settings.removeFileSettings()
        self.settings = settings
    }

    private static func url(_ options: DownloadOptions) throws(DownloadError) -> URL? {
        let (output, directory) = (options.output, options.directory)
        if let output, ObjectAddress.isOne(output) {
            guard directory == nil else {
                throw .usage(
                    "--directory cannot be combined with the --output '\(output.sanitized)'",
                    advice: "remove one of them"
                )
            }
            return try ObjectAddress.parse(output)
        }
        guard let directory, ObjectAddress.isOne(directory) else { return nil }
        guard let output else { return try ObjectAddress.parse(directory.asFolderPath) }
        guard !output.isAbsolutePath else {
            throw .usage(
                "--directory cannot be combined with the absolute --output '\(output.sanitized)'",
                advice: "remove one of them, or use a relative --output"
            )
        }
        // A path is not percent-encoded, and a URL is.
        let name = output.utf8.percentEncoded(except: "/")
        return try ObjectAddress.parse(directory.asFolderPath + name)
    }

    /// Checks the value of an option if it is the URL of an object; returns whether it is.
    static func check(_ option: OptionAssignment) throws(DownloadError) -> Bool {
        guard ObjectAddress.isOne(option.value) else { return false }
        do throws(DownloadError) {
            _ = try ObjectAddress.parse(option.value)
        } catch {
            throw .usage("\(option.location): \(error.message)", advice: error.guidance)
        }
        return true
    }
}
