public import PawlCore
internal import PawlEngine
internal import SystemPackage

extension Downloader {
    /// A download that goes on where another one ended, also one of another process.
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
    /// The partial file is believed as far as it is proven, and joined with the server's bytes only
    /// where that proves that its file is the same; else it starts anew or fails, as
    /// ``ResumeSettings/fallback`` says. Fields of the request are those of `settings` and, where these
    /// do not have them, of the data; a digest that was given counts again.
    ///
    /// - Throws: `DownloadError` with the code `.usage` where nothing says where the file is to go.
    public func makeDownload(
        resuming data: ResumeData,
        with resume: ResumeSettings = ResumeSettings(),
        settings: DownloadSettings = DownloadSettings()
    ) throws(DownloadError) -> Download {
        guard let target = ResumeTarget(data, resume) else {
            throw DownloadError(
                .usage,
                "nothing says where the file is to go",
                advice: "give a destination, or the place of the partial file"
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
    /// What was asked for then joins what is asked for now, which comes first.
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

/// Where a download that goes on is to end.
struct ResumeTarget {
    let path: String

    /// Nil where nothing says it.
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

    /// A partial file that was only renamed changes nothing for the finished one.
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
