struct Lftp: Tool {
    let name = "lftp"

    func invocation(for job: Job) -> Invocation? {
        // For lists and single files, others are made.
        guard let tree = job.tree, job.authority == nil else { return nil }
        let command = "mirror --parallel=\(job.filesAtATime) \(tree)"
        return Invocation(words: ["lftp", "-c", command])
    }
}
