package import PawlCore
internal import PawlStorage
internal import SystemPackage
internal import struct FoundationEssentials.URL

/// The destination of a resumed download.
struct ResumeTarget {
    let path: String

    /// Returns `nil` if no destination is known.
    init?(_ data: ResumeData, _ resume: ResumeSettings) {
        let known = data.finalPath.map { FilePath($0) }
        let name =
            FilePath(bytes: data.content.finalPath).lastComponent.flatMap { String(validating: $0) }
            ?? FileName.suggested(contentDisposition: nil, url: data.url, mediaType: nil)
        if let destination = resume.destination {
            path =
                switch destination {
                case .file(let path): path
                case .directory(let folder): FilePath(folder).appending(name).string
                case .object(let url): url.absoluteString
                }
        } else if let partial = resume.partialFile {
            path = Self.beside(FilePath(partial), data, known, name).string
        } else if let known {
            path = known.string
        } else {
            return nil
        }
    }

    /// Returns the finished file's path beside the partial file, whose own name does not matter.
    private static func beside(
        _ partial: FilePath,
        _ data: ResumeData,
        _ known: FilePath?,
        _ name: String
    ) -> FilePath {
        let was = data.partialPath.map { FilePath($0).removingLastComponent() }
        let folder = partial.removingLastComponent()
        guard let known, was == folder else { return folder.appending(name) }
        return known
    }
}

extension ResumeData {
    /// Combines the settings of the data with the current ones, which take precedence.
    package func settings(_ settings: DownloadSettings) -> DownloadSettings {
        var settings = settings
        settings.fields += fields.filter { field in
            !settings.fields.contains { $0.hasName(field.name) }
        }
        if settings.checksum.takesServers, let digest = expectedDigest {
            settings.checksum = .digest(digest)
        }
        return settings
    }
}
