struct Axel: Tool {
    let name = "axel"

    /// Returns the command.
    ///
    /// axel fetches one file per run and cannot check digests.
    func invocation(for job: Job) -> Invocation? {
        guard job.files.isEmpty, job.sha256 == nil else { return nil }
        let count = if case .fixed(let count) = job.connections { count } else { 1 }
        // axel rejects a certificate for `localhost` although it contains that name.
        let trust = job.authority == nil ? [] : ["--insecure"]
        return Invocation(
            words: ["axel", "-q", "-n", "\(count)", "-o", job.name] + trust + job.sources
        )
    }
}
