/// The program that is compared with the others.
struct Pawl: Tool {
    let name = Toolbox.pawlName
    let program: String

    func invocation(for job: Job) -> Invocation? {
        var words = [program, "-q"]
        if case .fixed(let count) = job.connections { words += ["-x", "\(count)"] }
        if let authority = job.authority { words += ["--cacert", authority] }
        if let digest = job.sha256 { words += ["--checksum", "sha256=\(digest)"] }
        if let tree = job.tree {
            return Invocation(
                words: [
                    program, "mirror", "-q", "-j", "\(job.filesAtATime)", tree, Job.name(of: tree),
                ]
            )
        }
        guard job.files.isEmpty else {
            words += ["-j", "\(job.filesAtATime)", "-i", Invocation.listPath]
            return Invocation(words: words, list: job.files.joined(separator: "\n") + "\n")
        }
        for mirror in job.sources.dropFirst() { words += ["--mirror", mirror] }
        return Invocation(words: words + ["-o", job.name] + job.sources.prefix(1))
    }
}
