extension DownloadError: Hashable {
    /// Returns whether all properties of two errors are equal, apart from their causes.
    ///
    /// A decoded error has neither ``retryAfter`` nor ``errorResponse``, so it differs from an
    /// original that has one.
    public static func == (one: DownloadError, other: DownloadError) -> Bool {
        one.code == other.code && one.message == other.message && one.context == other.context
            && one.advice == other.advice && one.retryClass == other.retryClass
            && one.retryAfter == other.retryAfter && one.httpStatus == other.httpStatus
            && one.url == other.url && one.errorResponse == other.errorResponse
            && one.resumeData == other.resumeData && one.resumeObstacle == other.resumeObstacle
    }

    /// Hashes the properties that differ between most errors.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(message)
        hasher.combine(context)
        hasher.combine(url)
    }
}
