package import struct FoundationEssentials.URL

extension FileName {
    /// Returns the cleaned name that a server and a URL suggest.
    ///
    /// `Content-Disposition` comes first, then the last part of the URL's path without parameters
    /// that may be secrets. Otherwise the name is `index.html` for a page and `download` for
    /// anything else.
    package static func suggested(
        contentDisposition: String?,
        url: URL,
        mediaType: String?
    ) -> String {
        let said = contentDisposition.flatMap { ContentDisposition(parsing: $0).fileName }
        if let name = said.flatMap(clean) { return name }
        // The path is split before decoding, so that an encoded slash adds only a component that
        // `clean` removes.
        let own = PathRedaction.withoutSecrets(url.pathWithName.pathFile)
        if let name = clean(own.percentDecoded) { return name }
        return mediaType == "text/html" ? "index.html" : "download"
    }
}

extension FileName {
    /// Extensions of programs on a server, which do not indicate the type of the file that they send.
    private static let programs: Set = [".asp", ".aspx", ".cgi", ".do", ".jsp", ".php", ".pl"]

    /// Returns the name of a file after its title; `nil` if nothing is left of the title.
    ///
    /// The extension is that of the URL, otherwise the usual one of the media type.
    package static func after(title: String, url: URL, mediaType: String?) -> String? {
        let own = FileNameParts(suggested(contentDisposition: nil, url: url, mediaType: nil)).suffix
        let usual = mediaType.flatMap(UsualExtension.of) ?? ""
        let isOwn = !own.isEmpty && !programs.contains(own.lowercased())
        let suffix = isOwn || usual.isEmpty ? own : usual
        // `clean` takes what follows the last slash, but "AC/DC" is one title.
        let scalars = title.unicodeScalars.map { $0 == "/" || $0 == "\\" ? "-" : $0 }
        var stem = String(String.UnicodeScalarView(scalars)).trimmed
        if stem.lowercased().hasSuffix(suffix.lowercased()) { stem.removeLast(suffix.count) }
        while !suffix.isEmpty, let last = stem.last, last == "." || last == " " {
            stem.removeLast()
        }
        return clean(stem).flatMap { _ in clean(stem + suffix) }
    }
}

extension Destination {
    /// Returns the name of a download until the server has named the file.
    ///
    /// It is safe to show.
    package func workingName(for url: URL) -> String {
        let name: String?
        switch self {
        case .file(let path): name = path.pathNames.last.map(String.init)
        case .object(let object) where !object.absoluteString.isFolderPath:
            name = AddressParts(object.absoluteString).path.pathNames.last.map(\.percentDecoded)
        case .directory, .object:
            name = url.pathWithName.pathNames.last
                .map { PathRedaction.withoutSecrets($0).percentDecoded }
        }
        return (name ?? url.host() ?? "").sanitized
    }
}

extension URL {
    /// The path, whose last part may name the file; empty if the URL contains the bytes instead.
    fileprivate var pathWithName: String {
        URLScheme(of: scheme) == .data ? "" : AddressParts(absoluteString).path
    }
}
