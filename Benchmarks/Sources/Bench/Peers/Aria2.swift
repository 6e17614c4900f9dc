struct Aria2: Tool {
    let name = "aria2"

    func invocation(for job: Job) -> Invocation? {
        var words = [
            "aria2c", "-q", "--no-conf", "--file-allocation=none", "--allow-overwrite=true",
            "--auto-file-renaming=false", "--summary-interval=0",
        ]
        if let authority = job.authority { words.append("--ca-certificate=\(authority)") }
        if let digest = job.sha256 { words.append("--checksum=sha-256=\(digest)") }
        guard job.files.isEmpty else {
            words += ["-j", "\(job.filesAtATime)", "-x", "1", "-i", Invocation.listPath]
            return Invocation(words: words, list: job.files.joined(separator: "\n") + "\n")
        }
        if job.resumes { words.append("--continue=true") }
        // aria2 cannot choose a number itself; 16 per server is its maximum.
        let count = if case .fixed(let count) = job.connections { count } else { 1 }
        words += ["-x", "\(min(count, 16))", "-s", "\(count)", "-k", "1M", "-o", job.name]
        return Invocation(words: words + job.sources)
    }
}
