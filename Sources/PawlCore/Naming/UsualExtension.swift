/// The extensions that files of a media type usually have.
package enum UsualExtension {
    /// Returns the usual extension with its dot; `nil` if it is not known, or if files of the type
    /// may be anything.
    ///
    /// `mediaType` may have parameters.
    package static func of(_ mediaType: String) -> String? {
        let type = String(mediaType.prefix { $0 != ";" }).trimmed.lowercased()
        return extensions[type].map { ".\($0)" }
    }

    private static let extensions: [String: String] = [
        "application/epub+zip": "epub", "application/gzip": "gz", "application/pdf": "pdf",
        "application/x-bittorrent": "torrent", "application/x-iso9660-image": "iso",
        "application/zip": "zip", "audio/aac": "aac", "audio/flac": "flac", "audio/m4a": "m4a",
        "audio/mp3": "mp3", "audio/mp4": "m4a", "audio/mpeg": "mp3", "audio/ogg": "ogg",
        "audio/opus": "opus", "audio/wav": "wav", "audio/x-flac": "flac", "audio/x-m4a": "m4a",
        "audio/x-wav": "wav", "image/gif": "gif", "image/jpeg": "jpg", "image/png": "png",
        "image/webp": "webp", "text/html": "html", "text/plain": "txt", "video/mp4": "mp4",
        "video/mpeg": "mpg", "video/ogg": "ogv", "video/quicktime": "mov", "video/webm": "webm",
        "video/x-m4v": "m4v", "video/x-matroska": "mkv",
    ]
}
