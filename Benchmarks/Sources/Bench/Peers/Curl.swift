struct Curl: Tool {
    let name = "curl"

    func invocation(for job: Job) -> Invocation? {
        guard job.sources.count <= 1, job.sha256 == nil else { return nil }
        var words = ["curl", "-q", "-sS", "--fail"]
        if let authority = job.authority { words += ["--cacert", authority] }
        guard job.files.isEmpty else {
            words += job.isHTTPS ? ["--http2"] : []
            words += ["-Z", "--parallel-max", "\(job.filesAtATime)", "-K", Invocation.listPath]
            if job.tree != nil { words.append("--create-dirs") }
            let entries = job.files.map { "url = \"\($0)\"\noutput = \"\(job.path(of: $0))\"\n" }
            return Invocation(words: words, list: entries.joined())
        }
        // curl uses one connection per file.
        guard job.connections == .auto else { return nil }
        if job.resumes { words += ["-C", "-"] }
        return Invocation(words: words + ["--http1.1", "-o", job.name] + job.sources)
    }
}
