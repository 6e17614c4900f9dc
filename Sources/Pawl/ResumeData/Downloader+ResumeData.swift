public import PawlCore
internal import PawlEngine
internal import SystemPackage

extension Downloader {
    /// Creates a download that resumes an ended one, even one of another process.
    ///
    /// ```swift
    /// do {
    ///     _ = try await download.run()
    /// } catch {
    ///     guard let data = error.resumeData else { throw error }
    ///     let again = try downloader.makeDownload(resuming: data)
    ///     _ = try await again.run()
    /// }
    /// ```
    ///
    /// The partial file is trusted as far as it is proven, and joined with the server's bytes only
    /// if they are proven to be of the same file. Otherwise the download starts over or fails,
    /// depending on ``ResumeSettings/fallback``. The request's fields are those of `settings` and,
    /// if missing there, those of the data. A digest in the data still applies.
    ///
    /// - Throws: `DownloadError` with the code `.usage` if no destination is known.
    public func makeDownload(
        resuming data: ResumeData,
        with resume: ResumeSettings = ResumeSettings(),
        settings: DownloadSettings = DownloadSettings()
    ) throws(DownloadError) -> Download {
        guard let target = ResumeTarget(data, resume) else {
            throw DownloadError(
                .usage,
                "no destination is known for the file",
                advice: "give a destination, or the path of the partial file"
            )
        }
        return Download(
            resume.url ?? data.url,
            to: .file(target.path),
            settings: data.settings(settings),
            engine: engine,
            resume: ResumeOrder(
                data,
                partialPath: resume.partialFile,
                fallback: resume.fallback
            )
        )
    }
}

extension ResumeData {
    /// Combines the settings of the data with the current ones, which take precedence.
    package func settings(_ settings: DownloadSettings) -> DownloadSettings {
        var settings = settings
        settings.fields += fields.filter { field in
            !settings.fields.contains { $0.hasName(field.name) }
        }
        if settings.checksum == .automatic, let digest = expectedDigest {
            settings.checksum = .digest(digest)
        }
        return settings
    }
}

/// The destination of a resumed download.
struct ResumeTarget {
    let path: String

    /// Returns `nil` if no destination is known.
    init?(_ data: ResumeData, _ resume: ResumeSettings) {
        let known = data.finalPath.map { FilePath($0) }
        let name =
            known?.lastComponent?.string
            ?? FileName.suggested(contentDisposition: nil, url: data.url, mediaType: nil)
        if let destination = resume.destination {
            path =
                switch destination {
                case .file(let path): path
                case .directory(let folder): FilePath(folder).appending(name).string
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
