struct Wget2: Tool {
    let name = "wget2"

    func invocation(for job: Job) -> Invocation? {
        guard job.sources.count <= 1, job.sha256 == nil else { return nil }
        var words = ["wget2", "-q", "--no-hsts", "--no-robots", "--compression=none"]
        if let authority = job.authority { words.append("--ca-certificate=\(authority)") }
        if let tree = job.tree {
            words += ["--max-threads=\(job.filesAtATime)", "-r", "-np", "-nH", tree]
            return Invocation(words: words)
        }
        guard job.files.isEmpty else {
            words += ["--max-threads=\(job.filesAtATime)", "-i", Invocation.listPath]
            return Invocation(words: words, list: job.files.joined(separator: "\n") + "\n")
        }
        if job.resumes { words.append("-c") }
        if case .fixed(let count) = job.connections, count > 1 {
            words += ["--max-threads=\(count)", "--chunk-size=1M"]
        }
        return Invocation(words: words + ["-O", job.name] + job.sources)
    }
}
